/** Every limit of renga in one place. Sizes are UTF-8 bytes, counts are items, lengths are characters. */
export const LIMITS = {
  /** Deploys in one release. */
  deploysInRelease: 500,
  /** Dependencies between the deploys of one release. */
  edgesInRelease: 20_000,
  /** `after` entries of a deploy that name deploys outside its release. */
  externalAfter: 20,
  importsPerDeploy: 10,
  exportsPerDeploy: 32,
  exportValueBytes: 64 * 1024,
  exportsBytes: 256 * 1024,
  targetsInExport: 500,
  /** Targets of one deploy, all that it sets and imports together. */
  targetsPerDeploy: 1_000,
  pluginOutputs: 64,
  stepsPerDeploy: 10,
  wavesPerDeploy: 20,
  /** Probes of `verify` over all waves: each is some 16 of an execution's 25,000 history events. */
  probesPerDeploy: 1_000,
  /** How far ahead `schedule.at` may lie. */
  scheduleAheadDays: 90,
  freezesPerEnvironment: 100,
  rolesPerAccess: 50,
  bindingsPerAccess: 200,
  subjectsPerBinding: 100,
  nameLength: 63,
  releaseIdLength: 64,
  deployIdLength: 80,
  derivedIdLength: 160,
  externalIdLength: 256,
  requestBytes: 1024 * 1024,
  /** Nesting depth of a document. */
  documentDepth: 64,
  /** YAML alias expansions in one file. */
  documentAliases: 100,
  /** Words, marks and spaces of one file as YAML cuts it up; bounds the time that a hostile file can take. */
  documentTokens: 500_000,
  /** Values in one file, every alias counted with all that it stands for. */
  documentValues: 250_000,
  /** Problems told of one file; more would hide the first ones. */
  problemsTold: 500,
  /** Characters of an export's pattern, and instructions of the machine that it compiles to. */
  patternLength: 1024,
  patternSize: 2_500,
} as const;
