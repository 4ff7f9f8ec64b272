import type { Problem } from '../../errors.ts';
import { field, fields } from '../fields.ts';
import { isOwnCurrent } from '../imports.ts';
import { formatPath, type Path } from '../path.ts';
import { shown } from '../shown.ts';

/** A deploy, or all that an environment's configuration is about, does not import what it is itself about to replace. */
export function selfImportRules(document: unknown, path: Path): Problem[] {
  const [application, environment, tenant] = ['application', 'environment', 'tenant'].map((name) =>
    text(field(document, name)),
  );
  if (application === undefined || environment === undefined) return [];
  const own = { application, environment, tenant, artifact: text(field(field(document, 'artifact'), 'name')) };
  return fields(field(document, 'imports')).flatMap(([name, declaration]): Problem[] => {
    const current = field(declaration, 'current');
    const wanted = text(field(current, 'application'));
    if (wanted === undefined) return [];
    const [where, artifact, whose] = ['environment', 'artifact', 'tenant'].map((one) => text(field(current, one)));
    if (!isOwnCurrent({ application: wanted, environment: where, artifact, tenant: whose }, own)) return [];
    return [
      {
        code: 'self-import',
        path: formatPath([...path, 'imports', name, 'current']),
        message: `the import ${shown(name)} reads what is current of ${shown(application)} in ${shown(environment)}, which is what it is about itself`,
        hint: 'import from another application or environment; name the artifact if you mean another one of this application',
      },
    ];
  });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
