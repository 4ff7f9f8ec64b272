/**
 * What a release must come to, worked out from the rules alone: an abstract simulation over milliseconds that knows
 * nothing of tables, machines or events. It shares no code with what it judges.
 *
 * The rules: a layer starts when the one before has ended, an eager deploy when its own dependencies have succeeded; one
 * deploy at a time runs in a place, first come, first served; a failure is judged the moment its deploy ends; what
 * succeeded is taken back in the exact reverse of the plan's order, one at a time, up to the first that does not succeed.
 */
export interface ModelDeploy {
  readonly name: string;
  /** Names that must succeed first. */
  readonly after: readonly string[];
  readonly application: string;
  readonly milliseconds: number;
  readonly outcome: 'success' | 'error' | 'hangs';
  /** What going back to this version comes to, also as its own rollback when it fails. */
  readonly back: 'success' | 'error';
  /** Whether a failure runs the plugin's own rollback. */
  readonly automatic: boolean;
  readonly reversible: boolean;
}

/** The version that an application had before the release. */
interface ModelVersion {
  readonly application: string;
  readonly milliseconds: number;
  readonly back: 'success' | 'error';
}

export interface ModelRelease {
  readonly mode: 'auto' | 'dag' | 'sequential';
  readonly start: 'layers' | 'eager';
  readonly onFailure: 'stop' | 'continue' | 'rollback';
  readonly deploys: readonly ModelDeploy[];
  readonly before: readonly ModelVersion[];
  /** Until a job that hangs is given up. */
  readonly timeout: number;
}

type ModelState = 'SUCCESS' | 'ERROR' | 'CANCELLED' | 'DEPENDENCY_FAILED';

export interface Prediction {
  readonly release: 'SUCCESS' | 'ERROR';
  readonly states: Readonly<Record<string, ModelState>>;
  /** Why each that failed did. */
  readonly codes: Readonly<Record<string, string>>;
  /** Of deploys that failed with a rollback of their own. */
  readonly rolledBack: Readonly<Record<string, boolean>>;
  /** Names with the instant at which their job starts. */
  readonly started: Readonly<Record<string, number>>;
  /** In order, up to the first that did not succeed. */
  readonly rollbacks: readonly { readonly name: string; readonly state: 'SUCCESS' | 'ERROR'; readonly code?: string }[];
  /** Two things that the rules tell apart by their order happen in the same instant: either is right. */
  readonly ambiguous: boolean;
}

/** Names layer by layer, as they are declared within one. */
function layers(deploys: readonly ModelDeploy[]): string[][] {
  const depth = new Map<string, number>();
  const depthOf = (name: string): number => {
    const known = depth.get(name);
    if (known !== undefined) return known;
    const after = deploys.find((each) => each.name === name)?.after ?? [];
    const found = after.length === 0 ? 0 : 1 + Math.max(...after.map(depthOf));
    depth.set(name, found);
    return found;
  };
  const found: string[][] = [];
  for (const { name } of deploys) {
    const at = depthOf(name);
    while (found.length <= at) found.push([]);
    found[at]?.push(name);
  }
  return found;
}

export function stages(release: ModelRelease): string[][] {
  const sequential =
    release.mode === 'sequential' ||
    (release.mode === 'auto' && release.deploys.every(({ after }) => after.length === 0));
  return sequential ? release.deploys.map(({ name }) => [name]) : layers(release.deploys);
}

/** `line`: who stands before whom when two come to one place in the same instant. */
export function predict(release: ModelRelease, line: (one: string, other: string) => number): Prediction {
  const { deploys, onFailure, start, timeout } = release;
  const order = stages(release);
  const byName = new Map(deploys.map((deploy) => [deploy.name, deploy]));
  const state = new Map<string, ModelState>();
  const rolledBack: Record<string, boolean> = {};
  const codes: Record<string, string> = {};
  const started: Record<string, number> = {};
  const running = new Map<string, { ends: number; undoing: boolean; undone: boolean }>();
  const queues = new Map<string, string[]>();
  const came = new Set<string>();
  /** Versions of an application, the current one last. */
  const versions = new Map<string, (ModelVersion & { readonly deploy?: string })[]>();
  for (const version of release.before) versions.set(version.application, [version]);
  let failed = false;
  let ambiguous = false;
  let now = 0;
  let stage = -1;

  const over = (name: string) => state.has(name);
  const waiting = () => deploys.filter(({ name }) => !over(name) && !running.has(name));
  const come = (names: readonly string[]) => {
    for (const name of [...names].sort(line)) {
      const { application } = byName.get(name) as ModelDeploy;
      came.add(name);
      queues.set(application, [...(queues.get(application) ?? []), name]);
    }
  };
  const letGo = () => {
    if (start === 'eager') {
      const ready = waiting().filter(
        ({ name, after }) => !came.has(name) && after.every((other) => state.get(other) === 'SUCCESS'),
      );
      come(ready.map(({ name }) => name));
    } else {
      while (stage + 1 < order.length && (order[stage] ?? []).every(over)) {
        stage++;
        come((order[stage] ?? []).filter((name) => !over(name)));
      }
    }
    for (const [application, queue] of queues) {
      const busy = [...running.keys()].some((name) => byName.get(name)?.application === application);
      const left = queue.filter((name) => !over(name));
      const next = busy ? undefined : left.shift();
      queues.set(application, left);
      if (next === undefined) continue;
      const deploy = byName.get(next) as ModelDeploy;
      started[next] = now;
      running.set(next, {
        ends: now + (deploy.outcome === 'hangs' ? timeout : deploy.milliseconds),
        undoing: false,
        undone: false,
      });
    }
  };
  const dependants = (name: string): Set<string> => {
    const found = new Set([name]);
    for (let grew = true; grew; ) {
      grew = false;
      for (const deploy of deploys) {
        if (!found.has(deploy.name) && deploy.after.some((other) => found.has(other))) {
          found.add(deploy.name);
          grew = true;
        }
      }
    }
    return found;
  };

  for (letGo(); running.size > 0; letGo()) {
    now = Math.min(...[...running.values()].map(({ ends }) => ends));
    const ending = [...running].filter(([, { ends }]) => ends === now);
    if (ending.length > 1) ambiguous = true;
    for (const [name, { undoing, undone }] of ending) {
      const deploy = byName.get(name) as ModelDeploy;
      if (!undoing && deploy.outcome !== 'success' && deploy.automatic) {
        // What stands there is put back as it was configured; where nothing stands, the deploy undoes itself.
        const standing = versions.get(deploy.application)?.at(-1);
        const hangs = standing === undefined && deploy.outcome === 'hangs';
        const more = hangs ? timeout : (standing ?? deploy).milliseconds;
        running.set(name, {
          ends: now + more,
          undoing: true,
          undone: !hangs && (standing ?? deploy).back === 'success',
        });
        continue;
      }
      running.delete(name);
      if (deploy.outcome === 'success') {
        state.set(name, 'SUCCESS');
        versions.set(deploy.application, [...(versions.get(deploy.application) ?? []), { ...deploy, deploy: name }]);
        continue;
      }
      state.set(name, 'ERROR');
      codes[name] = deploy.outcome === 'hangs' ? 'timeout' : 'plugin-failed';
      if (undoing) rolledBack[name] = undone;
      failed = true;
      const concerned = dependants(name);
      for (const other of waiting()) {
        if (onFailure !== 'continue') state.set(other.name, 'CANCELLED');
        else if (concerned.has(other.name)) state.set(other.name, 'DEPENDENCY_FAILED');
      }
    }
  }

  const rollbacks: { name: string; state: 'SUCCESS' | 'ERROR'; code?: string }[] = [];
  if (failed && onFailure === 'rollback') {
    for (const name of order.flat().reverse()) {
      if (state.get(name) !== 'SUCCESS') continue;
      const { application, reversible } = byName.get(name) as ModelDeploy;
      const stack = versions.get(application) ?? [];
      const target = stack.at(-2);
      const code =
        stack.at(-1)?.deploy !== name
          ? 'superseded'
          : !reversible
            ? 'irreversible'
            : target === undefined
              ? 'no-previous-version'
              : target.back === 'error'
                ? 'plugin-failed'
                : undefined;
      rollbacks.push(code === undefined ? { name, state: 'SUCCESS' } : { name, state: 'ERROR', code });
      if (code !== undefined) break;
      stack.pop();
    }
  }
  return {
    release: failed ? 'ERROR' : 'SUCCESS',
    states: Object.fromEntries(state),
    codes,
    rolledBack,
    started,
    rollbacks,
    ambiguous,
  };
}
