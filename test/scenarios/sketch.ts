/** Releases in a line of text: `'db; api <- db; worker <- db; web <- api worker'`. */
import type { Artifact } from '../../core/documents/deploy.ts';
import { DeployDocument } from '../../core/documents/deploy.ts';
import { ReleaseDocument } from '../../core/documents/release.ts';

/** How one deploy behaves. Whatever is absent is what succeeds at once in a place of its own. */
export interface Behaviour {
  readonly id?: string;
  readonly seconds?: number | 'never';
  readonly outcome?: 'success' | 'error';
  /** Of the plugin's own rollback, and of any later rollback to this version. */
  readonly rollbackOutcome?: 'success' | 'error';
  readonly application?: string;
  readonly environment?: string;
  readonly tenant?: string;
  readonly artifact?: Partial<Artifact>;
  readonly timeout?: string;
  readonly automatic?: boolean;
  /** Ids outside the release. */
  readonly after?: readonly string[];
  readonly afterTimeout?: string;
  readonly exports?: Readonly<
    Record<
      string,
      {
        readonly from: string;
        readonly pattern?: string;
        readonly format?: 'string' | 'targets';
        readonly public?: boolean;
      }
    >
  >;
  readonly outputs?: Readonly<Record<string, string>>;
  /** More parameters of the simulated plugin. */
  readonly params?: Readonly<Record<string, string>>;
  /** Fields of the document beside those above; of `deploy` they are added to what is there. */
  readonly document?: Readonly<Record<string, unknown>> & { readonly deploy?: Readonly<Record<string, unknown>> };
}

export interface Sketch {
  readonly mode?: 'auto' | 'dag' | 'sequential';
  readonly start?: 'layers' | 'eager';
  readonly onFailure?: 'stop' | 'continue' | 'rollback';
  /** Version of every artifact; the release's id when absent. */
  readonly version?: string;
  readonly deploys?: Readonly<Record<string, Behaviour>>;
}

/** Names and what each waits for, as written. */
function graphOf(text: string): { readonly name: string; readonly after: readonly string[] }[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', after = ''] = part.split('<-').map((side) => side.trim());
      return { name, after: after.split(/\s+/).filter((word) => word !== '') };
    });
}

export function release(id: string, graph: string, sketch: Sketch = {}): ReleaseDocument {
  const { deploys = {}, version = id, ...head } = sketch;
  return ReleaseDocument.parse({
    apiVersion: 'renga/v1',
    kind: 'Release',
    id,
    ...head,
    deploys: graphOf(graph).map(({ name, after }) => ({
      name,
      after,
      descriptor: descriptor(name, version, deploys[name] ?? {}),
    })),
  });
}

export function deploy(id: string, behaviour: Behaviour & { readonly version?: string } = {}): DeployDocument {
  return DeployDocument.parse(descriptor(id, behaviour.version ?? id, { id, ...behaviour }));
}

function descriptor(name: string, version: string, behaviour: Behaviour): unknown {
  const { application = name, environment = 'prod', artifact, seconds, outcome, rollbackOutcome } = behaviour;
  const { deploy, ...fields } = behaviour.document ?? {};
  return {
    apiVersion: 'renga/v1',
    ...fields,
    ...(behaviour.id !== undefined && { id: behaviour.id }),
    application,
    environment,
    ...(behaviour.tenant !== undefined && { tenant: behaviour.tenant }),
    artifact: { type: 'application', name: application, version, ...artifact },
    ...(behaviour.after !== undefined && { after: behaviour.after }),
    ...(behaviour.afterTimeout !== undefined && { afterTimeout: behaviour.afterTimeout }),
    ...(behaviour.exports !== undefined && { exports: behaviour.exports }),
    rollback: { automatic: behaviour.automatic ?? false },
    deploy: {
      plugin: 'simulated',
      ...deploy,
      ...(behaviour.timeout !== undefined && { timeout: behaviour.timeout }),
      params: {
        NAME: name,
        ...(seconds !== undefined && { SECONDS: String(seconds) }),
        ...(outcome !== undefined && { OUTCOME: outcome }),
        ...(rollbackOutcome !== undefined && { ROLLBACK_OUTCOME: rollbackOutcome }),
        ...Object.fromEntries(Object.entries(behaviour.outputs ?? {}).map(([key, value]) => [`OUT_${key}`, value])),
        ...behaviour.params,
      },
    },
  };
}
