import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { owner } from '../../../core/access/actor.ts';
import { EVERYWHERE, type Place, rightsOf, whoMay } from '../../../core/access/rights.ts';
import { AccessDocument, PERMISSIONS } from '../../../core/documents/access.ts';
import { access, type Bound, pipeline, user } from './binding.ts';

const prod = { application: 'shop-api', environment: 'prod' };
const ada = user('ada', 'platform');
const to = ['user:ada'];

describe('rights', () => {
  it('are none without a document, and none where no binding means them', () => {
    for (const documents of [[], [access({ to: ['user:bob', 'group:admins'] })]]) {
      const rights = rightsOf(documents, ada);
      expect(rights.all).toBe(false);
      for (const permission of PERMISSIONS) {
        expect([rights.may(permission, prod), rights.mayAnywhere(permission)]).toEqual([false, false]);
      }
    }
  });

  it('of an administrator are all, whatever documents say', () => {
    const rights = rightsOf([access({ to: ['user:bob'] })], owner('ada'));
    expect(rights.all).toBe(true);
    for (const permission of PERMISSIONS) {
      expect([rights.may(permission, EVERYWHERE), rights.mayAnywhere(permission)]).toEqual([true, true]);
    }
  });

  it('are those of the role and no others', () => {
    const rights = rightsOf([access({ to, permissions: ['deployment.read', 'deployment.submit'] })], ada);
    expect(PERMISSIONS.filter((permission) => rights.may(permission, prod))).toEqual([
      'deployment.read',
      'deployment.submit',
    ]);
    expect(PERMISSIONS.filter((permission) => rights.mayAnywhere(permission))).toEqual([
      'deployment.read',
      'deployment.submit',
    ]);
  });

  it.each<[string, readonly string[], readonly string[], Place, boolean]>([
    ['both fit', ['shop-*'], ['prod'], prod, true],
    ['one of several fits', ['web', 'shop-api'], ['test', 'pr*'], prod, true],
    ['only the application fits', ['shop-*'], ['test'], prod, false],
    ['only the environment fits', ['web'], ['prod'], prod, false],
    ['neither fits', ['web'], ['test'], prod, false],
    ['all applications of an environment are asked for, and given', ['*'], ['prod'], { environment: 'prod' }, true],
    ['… and only some given', ['shop-*'], ['prod'], { environment: 'prod' }, false],
    ['all environments of an application are asked for, and given', ['web'], ['*'], { application: 'web' }, true],
    ['… and only some given', ['web'], ['prod', 'test'], { application: 'web' }, false],
    ['everything is asked for, and given', ['web', '*'], ['**'], EVERYWHERE, true],
    ['… and only nearly everything given', ['*'], ['?*', '*-'], EVERYWHERE, false],
  ])('where %s', (_, applications, environments, place, expected) => {
    expect(rightsOf([access({ to, applications, environments })], ada).may('environment.write', place)).toBe(expected);
  });

  it('of two bindings are never mixed into a third', () => {
    const documents = [
      access(
        { to, permissions: ['deployment.read'], applications: ['shop-*'], environments: ['test'] },
        { to: ['group:platform'], permissions: ['deployment.submit'], applications: ['web'], environments: ['prod'] },
      ),
    ];
    const rights = rightsOf(documents, ada);
    expect(rights.may('deployment.read', { application: 'shop-api', environment: 'test' })).toBe(true);
    expect(rights.may('deployment.submit', { application: 'web', environment: 'prod' })).toBe(true);
    expect(rights.may('deployment.submit', { application: 'shop-api', environment: 'test' })).toBe(false);
    expect(rights.may('deployment.read', { application: 'web', environment: 'prod' })).toBe(false);
    expect(rights.may('deployment.read', prod)).toBe(false);
  });

  it('to write access come from bindings over everything alone', () => {
    const may = (bound: Omit<Bound, 'to'>) => {
      const rights = rightsOf([access({ to, ...bound })], ada);
      return [
        rights.may('access.write', EVERYWHERE),
        rights.may('access.write', prod),
        rights.mayAnywhere('access.write'),
      ];
    };
    expect(may({})).toEqual([true, true, true]);
    expect(may({ applications: ['shop-*'] })).toEqual([false, false, false]);
    expect(may({ environments: ['prod'] })).toEqual([false, false, false]);
  });

  it('of a role are looked for in its own document', () => {
    const one = access({ to, permissions: ['deployment.read'] });
    const other = { ...access({ to, permissions: ['deployment.submit'] }), name: 'other' };
    const lost = { ...access({ to }), roles: {}, name: 'lost' };
    const rights = rightsOf([one, other, lost], ada);
    expect(PERMISSIONS.filter((permission) => rights.may(permission, prod))).toEqual([
      'deployment.read',
      'deployment.submit',
    ]);
  });

  it('of a role that is called like an inherited field are none', () => {
    for (const role of ['constructor', 'valueof', 'tostring']) {
      const document = AccessDocument.parse({
        apiVersion: 'renga/v1',
        kind: 'Access',
        name: 'odd',
        roles: {},
        bindings: [{ role, subjects: to }],
      });
      expect(rightsOf([document], ada).mayAnywhere('deployment.read')).toBe(false);
      expect(whoMay([document], 'deployment.read', prod)).toEqual([]);
    }
  });

  it('grow with every binding: adding one never takes a right away', () => {
    const name = fc.constantFrom('a', 'b', 'ab');
    const glob = fc.constantFrom('*', 'a', 'b', 'a*', '*b');
    const bound: fc.Arbitrary<Bound> = fc.record({
      to: fc.array(fc.constantFrom('user:a', 'user:*', 'group:b', 'pipeline:a', 'pipeline:*'), { minLength: 1 }),
      permissions: fc.uniqueArray(fc.constantFrom(...PERMISSIONS), { minLength: 1 }),
      applications: fc.array(glob, { minLength: 1, maxLength: 3 }),
      environments: fc.array(glob, { minLength: 1, maxLength: 3 }),
    });
    const place = fc.record({ application: name, environment: name }, { requiredKeys: [] });
    const actor = fc.record({
      subject: name,
      kind: fc.constantFrom('user' as const, 'pipeline' as const),
      groups: fc.array(name),
    });
    fc.assert(
      fc.property(fc.array(bound), bound, fc.nat(5), actor, place, (before, added, at, who, where) => {
        const after = [...before.slice(0, at), added, ...before.slice(at)];
        const [less, more] = [before, after].map((bindings) => rightsOf([access(...bindings)], who));
        for (const permission of PERMISSIONS) {
          if (less?.may(permission, where)) expect(more?.may(permission, where)).toBe(true);
          if (less?.mayAnywhere(permission)) expect(more?.mayAnywhere(permission)).toBe(true);
          // What is allowed at a place, somebody whom a binding means is allowed there: the explanation agrees.
          if (less?.may(permission, where)) expect(whoMay([access(...before)], permission, where)).not.toEqual([]);
        }
      }),
    );
  });
});

describe('who may', () => {
  const documents = [
    access(
      { to: ['group:platform', 'user:ada'], permissions: ['deployment.approve', 'access.write'] },
      { to: ['user:bob'], permissions: ['deployment.approve', 'access.write'], environments: ['test'] },
      { to: ['user:ada', 'user:eve'], permissions: ['deployment.approve'], applications: ['shop-*'] },
      { to: ['user:mal'], permissions: ['deployment.read'] },
    ),
  ];

  it.each([
    ['deployment.approve', prod, ['group:platform', 'user:ada', 'user:eve']],
    ['deployment.approve', { application: 'web', environment: 'test' }, ['group:platform', 'user:ada', 'user:bob']],
    ['deployment.cancel', prod, []],
    ['access.write', { application: 'web', environment: 'test' }, ['group:platform', 'user:ada']],
  ] as const)('%s at %j', (permission, place, subjects) => {
    expect(whoMay(documents, permission, place)).toEqual(subjects);
  });

  it('names nobody who may not', () => {
    const subjects = whoMay(documents, 'deployment.approve', prod);
    expect(subjects.includes('user:bob')).toBe(rightsOf(documents, user('bob')).may('deployment.approve', prod));
    expect(rightsOf(documents, pipeline('ada')).may('deployment.approve', prod)).toBe(false);
  });
});
