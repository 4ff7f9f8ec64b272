/** Who may do what. */
import { yamlText } from '../core/documents/yaml-text.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { table } from './text.ts';
import { instant } from './time.ts';

export async function accessListCommand(session: Session): Promise<Outcome> {
  const { answer } = await (await session.api()).call('listAccess');
  if (answer.items.length === 0) session.say('there is no document of access: only administrators may do anything');
  else {
    const rows = answer.items.map(({ document: { name, roles, bindings }, by, at }) => [
      name,
      String(Object.keys(roles).length),
      String(bindings.length),
      `${instant(at)} by ${by}`,
    ]);
    const [first = '', ...lines] = table([['access', 'roles', 'bindings', 'changed'], ...rows]);
    session.say([session.style.paint('dim', first), ...lines].join('\n'));
  }
  return succeeded(answer);
}

export async function accessGetCommand(session: Session, name: string): Promise<Outcome> {
  const { answer } = await (await session.api()).call('access', { id: name });
  session.say(yamlText(answer.document));
  return succeeded(answer);
}

export async function accessRemoveCommand(session: Session, name: string): Promise<Outcome> {
  const { answer } = await (await session.api()).call('removeAccess', { id: name });
  session.say(`${answer.removed} gives nothing any more`);
  return succeeded(answer);
}

export async function whoamiCommand(session: Session): Promise<Outcome> {
  const { answer } = await (await session.api()).call('me');
  const { subject, kind, groups, administrator, grants } = answer;
  const lines = [`${subject}, a ${kind}${groups.length === 0 ? '' : ` in ${groups.join(', ')}`}`];
  if (administrator) lines.push('may do everything, as an administrator');
  else if (grants.length === 0) lines.push('may do nothing yet: no document of access names them');
  else {
    const rows = grants.map(({ permission, applications, environments }) => [
      ' ',
      permission,
      applications.join(' '),
      environments.join(' '),
    ]);
    lines.push(...table([[' ', 'permission', 'applications', 'environments'], ...rows]));
  }
  session.say(lines.join('\n'));
  return succeeded(answer);
}
