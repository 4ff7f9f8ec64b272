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
  pluginOutputs: 64,
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
} as const;
