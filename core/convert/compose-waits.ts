/** What a service of a Compose file waits for, said or implied, and what of it a release can't say. */
import { shown } from '../documents/shown.ts';
import { COMPOSE, type Service } from './compose-service.ts';
import type { Findings } from './findings.ts';
import type { Place } from './place.ts';
import { uninterpolated } from './template.ts';
import type { UnitWait } from './unit.ts';

type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully';
const CONDITIONS: readonly string[] = ['service_started', 'service_healthy', 'service_completed_successfully'];

export interface ServiceWait extends UnitWait {
  readonly condition: Condition;
  readonly required: boolean;
  /** Where it says that it restarts with what it waits for. */
  readonly restart?: Place | undefined;
}

/** In the order written; of a service that is named twice, the last says how. */
export function waitsOf(service: Service, known: ReadonlySet<string>, findings: Findings): ServiceWait[] {
  const waits = new Map<string, ServiceWait>();
  for (const list of service.all('depends_on')) {
    const said = list.isMapping ? longForm(list, findings) : shortForm(list, findings);
    for (const wait of said) waits.set(wait.key, wait);
  }
  for (const wait of implied(service, findings)) if (!waits.has(wait.key)) waits.set(wait.key, wait);
  return [...waits.values()].filter((wait) => {
    if (wait.required || known.has(wait.key)) {
      noteWait(wait, service.name, findings);
      if (wait.restart !== undefined) noteRestart(wait.restart, wait.key, service.name, findings);
      return true;
    }
    // Compose does without it.
    findings.note('dependency-left-out', wait.place, service.name, {
      what: `waits for ${wait.key}, required: false`,
      why: `there is no service ${wait.key}`,
      instead: 'it is left out, as Compose does',
    });
    return false;
  });
}

function shortForm(list: Place, findings: Findings): ServiceWait[] {
  return findings.list(list).flatMap((place) => waitFor(findings.word(place), place, findings));
}

function longForm(list: Place, findings: Findings): ServiceWait[] {
  return list.fields().flatMap(([key, place]): ServiceWait[] => {
    if (place.value !== null && !place.isMapping) {
      findings.problem('wrong-type', place, `this must be a mapping, not ${shown(place.value)}`);
      return [];
    }
    const said = place.field('condition');
    const condition = said?.text ?? 'service_started';
    if (said !== undefined && !CONDITIONS.includes(condition)) {
      const message = `${shown(said.value)} is none of: ${CONDITIONS.join(', ')}`;
      findings.problem('invalid-value', said, message);
    }
    const required = place.field('required');
    if (required !== undefined && required.truth === undefined) {
      findings.problem('wrong-type', required, 'required must be true or false', COMPOSE.render);
    }
    const restart = place.field('restart');
    const restarts = restart === undefined || restart.truth === false ? undefined : restart;
    return [{ key, place, condition: condition as Condition, required: required?.truth !== false, restart: restarts }];
  });
}

/** Compose itself adds these to `depends_on`. */
function implied(service: Service, findings: Findings): ServiceWait[] {
  const modes = ['network_mode', 'ipc', 'pid', 'uts', 'cgroup'].flatMap((name) => {
    const place = service.field(name);
    return place?.text?.startsWith('service:') ? waitFor(place.text.slice('service:'.length), place, findings) : [];
  });
  const volumes = service.all('volumes_from').flatMap((list) =>
    findings.list(list).flatMap((place) => {
      const [from] = place.text?.split(':') ?? [];
      return from === 'container' ? [] : waitFor(from, place, findings);
    }),
  );
  const links = service
    .all('links')
    .flatMap((list) => findings.list(list).flatMap((place) => waitFor(place.text?.split(':')[0], place, findings)));
  return [...modes, ...volumes, ...links];
}

function waitFor(text: string | undefined, place: Place, findings: Findings): ServiceWait[] {
  if (text === undefined) return [];
  const key = uninterpolated(place.text ?? text) === undefined ? undefined : uninterpolated(text);
  if (key === undefined) {
    const message = `${shown(place.value)} takes a variable, and the order depends on it`;
    findings.problem('interpolated', place, message, COMPOSE.render);
    return [];
  }
  return [{ key, place, condition: 'service_started', required: true }];
}

function noteRestart(place: Place, key: string, service: string, findings: Findings): void {
  findings.note('restart', place, service, {
    what: `restart with ${key}`,
    why: 'renga restarts nothing because something else was deployed',
    instead: 'release both together',
  });
}

function noteWait({ key, place, condition, required }: ServiceWait, service: string, findings: Findings): void {
  if (condition === 'service_healthy') {
    findings.note('healthy', place, service, {
      what: `waits for ${key} to be healthy`,
      why: `renga goes on when the deploy of ${key} has succeeded`,
      instead: `let its command end only when it is healthy (docker compose up --wait), or give ${key} a verify once that is supported`,
    });
  } else if (condition === 'service_completed_successfully') {
    findings.note('completed', place, service, {
      what: `waits for ${key} to end with success`,
      why: `renga goes on when the deploy of ${key} has succeeded`,
      instead: 'let its command run it to its end (docker compose run), and end with its result',
    });
  }
  if (!required) {
    findings.note('not-required', place, service, {
      what: `waits for ${key}, required: false`,
      why: 'Compose goes on when it fails, and in a release what waits for a failure does not run',
      instead: `remove ${key} from its after if it may fail`,
    });
  }
}
