import { AwsError } from '../aws-service.ts';
import { isObject, type JsonObject, PAYLOAD_BYTES } from './json.ts';

/** Reads the inputs of operations: what AWS would refuse is refused with AWS's exception. */
export class Request {
  readonly #members: JsonObject;

  constructor(input: unknown) {
    if (input !== undefined && input !== null && !isObject(input)) throw invalid('The input must be a JSON object');
    this.#members = isObject(input) ? input : {};
  }

  text(member: string): string {
    const value = this.optionalText(member);
    if (value === undefined)
      throw invalid(`Value null at '${member}' failed to satisfy constraint: Member must not be null`);
    return value;
  }

  optionalText(member: string, longest = Number.POSITIVE_INFINITY): string | undefined {
    const value = this.#members[member];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw invalid(`The member '${member}' must be a string`);
    if (value.length > longest) {
      throw invalid(
        `Value at '${member}' failed to satisfy constraint: Member must have length less than or equal to ${longest}`,
      );
    }
    return value;
  }

  flag(member: string, absent: boolean): boolean {
    const value = this.#members[member] ?? absent;
    if (typeof value !== 'boolean') throw invalid(`The member '${member}' must be true or false`);
    return value;
  }

  object(member: string): JsonObject | undefined {
    const value = this.#members[member] ?? undefined;
    if (value === undefined) return undefined;
    if (!isObject(value)) throw invalid(`The member '${member}' must be an object`);
    return value;
  }

  list(member: string): readonly unknown[] {
    const value = this.#members[member] ?? [];
    if (!Array.isArray(value)) throw invalid(`The member '${member}' must be a list`);
    return value;
  }

  has(member: string): boolean {
    return this.#members[member] !== undefined && this.#members[member] !== null;
  }

  choice<const T extends string>(member: string, values: readonly T[]): T | undefined {
    const value = this.optionalText(member);
    if (value === undefined) return undefined;
    const known = values.find((each) => each === value);
    if (known === undefined) {
      const set = `[${values.join(', ')}]`;
      throw invalid(
        `Value '${value}' at '${member}' failed to satisfy constraint: Member must satisfy enum value set: ${set}`,
      );
    }
    return known;
  }

  name(member: string): string | undefined {
    const name = this.optionalText(member);
    if (name === undefined) return undefined;
    if (!NAME.test(name) || [...name].length > 80) throw new AwsError('InvalidName', `Invalid Name: '${name}'`);
    return name;
  }

  arn(member: string, shape: RegExp): string {
    const arn = this.text(member);
    if (!shape.test(arn)) throw new AwsError('InvalidArn', `Invalid Arn: '${arn}'`);
    return arn;
  }

  /** JSON text of at most 256 KiB, as it was given. */
  json(member: string, text: string, exception: 'InvalidExecutionInput' | 'InvalidOutput'): string {
    if (Buffer.byteLength(text) > PAYLOAD_BYTES) {
      throw invalid(`The member '${member}' is larger than ${PAYLOAD_BYTES} bytes`);
    }
    try {
      JSON.parse(text);
    } catch (error) {
      throw new AwsError(exception, `Invalid ${exception.slice('Invalid'.length)}: ${String(error)}`);
    }
    return text;
  }

  /** Where to go on, and how many at most: `maxResults` 0 means the default. */
  page(most = 1000): { readonly limit: number; readonly after: number | undefined } {
    const given = this.#members.maxResults ?? 0;
    if (typeof given !== 'number' || !Number.isInteger(given) || given < 0 || given > most) {
      throw invalid(`The member 'maxResults' must be an integer from 0 to ${most}`);
    }
    const token = this.optionalText('nextToken');
    return { limit: given === 0 ? 100 : given, after: token === undefined ? undefined : positionOf(token) };
  }
}

// Spaces, brackets, wildcards, the special characters and the control characters that AWS lists.
const NAME = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}\p{Cs}\u{FFFE}\u{FFFF}]+$/u;
export const MACHINE_ARN = /^arn:aws[a-z-]*:states:[a-z0-9-]+:\d{12}:stateMachine:[^:]{1,80}$/;
export const EXECUTION_ARN = /^arn:aws[a-z-]*:states:[a-z0-9-]+:\d{12}:execution:[^:]{1,80}:[^:]{1,80}$/;
export const ROLE_ARN = /^arn:aws[a-z-]*:iam::\d{12}:role\/.+$/;

export function invalid(message: string): AwsError {
  return new AwsError('ValidationException', message);
}

export function unsupported(what: string): AwsError {
  return invalid(`${what} is not supported by the embedded Step Functions`);
}

export function tokenFor(position: number): string {
  return Buffer.from(`after ${position}`).toString('base64url');
}

function positionOf(token: string): number {
  const position = /^after (\d+)$/.exec(Buffer.from(token, 'base64url').toString('utf8'))?.[1];
  if (position === undefined) throw new AwsError('InvalidToken', `Invalid Token: '${token}'`);
  return Number(position);
}
