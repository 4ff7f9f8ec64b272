import { AwsError } from '../aws-service.ts';
import type { OrderedStore } from './ordered-store.ts';

interface Specification {
  readonly AttributeName: string;
  readonly Enabled: boolean;
}

const SPACE = 'time-to-live';

/**
 * Remembers which attribute of a table holds the instant of its expiry. Nothing is ever expired here: on AWS that happens
 * days late, so nothing may depend on it.
 */
export class TimeToLive {
  readonly #store: OrderedStore;

  constructor(store: OrderedStore) {
    this.#store = store;
  }

  describe({ TableName }: Record<string, unknown>): unknown {
    const attribute = this.#store.get(SPACE, String(TableName));
    return {
      TimeToLiveDescription:
        attribute === undefined
          ? { TimeToLiveStatus: 'DISABLED' }
          : { TimeToLiveStatus: 'ENABLED', AttributeName: attribute },
    };
  }

  async update(input: Record<string, unknown>): Promise<unknown> {
    const { TableName, TimeToLiveSpecification } = input;
    const { AttributeName, Enabled } = (TimeToLiveSpecification ?? {}) as Partial<Specification>;
    if (typeof AttributeName !== 'string' || AttributeName === '' || typeof Enabled !== 'boolean') {
      throw new AwsError('ValidationException', 'TimeToLiveSpecification needs AttributeName and Enabled.');
    }
    const table = String(TableName);
    const current = this.#store.get(SPACE, table);
    if ((current !== undefined) === Enabled) {
      throw new AwsError('ValidationException', `TimeToLive is already ${Enabled ? 'enabled' : 'disabled'}`);
    }
    await this.#store.write([{ space: SPACE, key: table, value: Enabled ? AttributeName : undefined }]);
    return { TimeToLiveSpecification: { AttributeName, Enabled } };
  }

  async forget(table: string): Promise<void> {
    await this.#store.write([{ space: SPACE, key: table, value: undefined }]);
  }
}
