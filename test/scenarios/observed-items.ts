/** What is told of writes beside the heads: lines for slots, documents of environments, and what is done to the audit. */
import { type Attributes, fromAttributes } from '../../store/attributes.ts';

export type ItemWritten =
  | { readonly kind: 'slots'; readonly environment: string; readonly holders: readonly Holder[] }
  | ({ readonly kind: 'joined'; readonly environment: string } & InLine)
  | { readonly kind: 'left'; readonly environment: string; readonly rank: number; readonly ticket: number }
  | { readonly kind: 'environment'; readonly name: string; readonly document: EnvironmentWritten }
  | { readonly kind: 'audit'; readonly key: string; readonly content: string }
  | { readonly kind: 'audit deleted'; readonly key: string };

export interface Holder {
  readonly deploy: string;
  readonly place: string;
}

export interface InLine extends Holder {
  readonly rank: number;
  readonly ticket: number;
  readonly exempt: boolean;
}

export interface EnvironmentWritten {
  readonly concurrency?: number;
  readonly approval?: { readonly required: number; readonly selfApproval: boolean };
  readonly freezes: readonly { readonly from: string; readonly to: string }[];
}

interface Call {
  readonly Item?: Attributes;
  readonly Key?: Attributes;
  readonly RequestItems?: Readonly<Record<string, readonly Request[]>>;
}
interface Request {
  readonly PutRequest?: { readonly Item: Attributes };
  readonly DeleteRequest?: { readonly Key: Attributes };
}

/** What a call that was carried out has written. */
export function itemsIn(operation: string, input: unknown, output: unknown): ItemWritten[] {
  const call = input as Call;
  switch (operation) {
    case 'PutItem':
      return put(call.Item);
    case 'UpdateItem':
      return put((output as { Attributes?: Attributes }).Attributes);
    case 'DeleteItem':
      return deleted(call.Key);
    case 'BatchWriteItem':
      return Object.values(call.RequestItems ?? {})
        .flat()
        .flatMap(({ PutRequest, DeleteRequest }) => [...put(PutRequest?.Item), ...deleted(DeleteRequest?.Key)]);
    default:
      return [];
  }
}

function put(attributes: Attributes | undefined): ItemWritten[] {
  if (attributes === undefined) return [];
  const [pk, sk] = [attributes.pk?.S ?? '', attributes.sk?.S ?? ''];
  const environment = pk.slice(2);
  if (sk.startsWith('AUDIT#')) {
    const content = Object.entries(fromAttributes(attributes)).sort(([one], [other]) => (one < other ? -1 : 1));
    return [{ kind: 'audit', key: `${pk} ${sk}`, content: JSON.stringify(content) }];
  }
  if (pk.startsWith('Q#') && sk === 'HEAD') {
    const { holders = [] } = fromAttributes(attributes) as { holders?: Holder[] };
    return [{ kind: 'slots', environment, holders }];
  }
  if (pk.startsWith('Q#') && sk.startsWith('WAIT#')) {
    const { deploy, place, rank, ticket, exempt } = fromAttributes(attributes) as unknown as InLine;
    return [{ kind: 'joined', environment, deploy, place, rank, ticket, exempt }];
  }
  if (pk.startsWith('E#') && sk === 'HEAD') {
    const { document } = fromAttributes(attributes) as { document?: EnvironmentWritten };
    return document === undefined ? [] : [{ kind: 'environment', name: environment, document }];
  }
  return [];
}

function deleted(key: Attributes | undefined): ItemWritten[] {
  const [pk, sk] = [key?.pk?.S ?? '', key?.sk?.S ?? ''];
  if (sk.startsWith('AUDIT#')) return [{ kind: 'audit deleted', key: `${pk} ${sk}` }];
  if (!pk.startsWith('Q#') || !sk.startsWith('WAIT#')) return [];
  const [, rank, ticket] = sk.split('#');
  return [{ kind: 'left', environment: pk.slice(2), rank: Number(rank), ticket: Number(ticket) }];
}
