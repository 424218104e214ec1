/**
 * The tiers of the tests. Each is a project of vitest, so that `vitest run --project rules` runs one of them, and each
 * test file belongs to exactly one.
 *
 * @module
 */

/** A group of test files that run together. */
export interface Tier {
  /** The name for `--project`. */
  readonly name: string
  readonly include: ReadonlyArray<string>
  readonly exclude?: ReadonlyArray<string>
  /** Whether `npm test` runs it, with many files in one process. `npm run test:all` runs every tier. */
  readonly isQuick: boolean
  /** Whether its files only call functions and need neither a server nor a database. */
  readonly isPure?: boolean
}

/** Slow tests of adapters: migrations from each schema, plans and searches on large tables, random input. */
const longAdapters = [
  ...[
    "Migrations",
    "addressSpellings",
    "dump",
    "eventLine",
    "listPlans",
    "otherListPlans",
    "lists",
    "oldestServer",
    "orderSearch",
    "segments",
    "statistics",
    "upgrade"
  ].map((name) => `test/adapters/postgres/${name}.test.ts`),
  "test/adapters/smtp/relayFuzz.test.ts"
]

/** Tests of the documentation that start servers. */
const longDocs = ["test/docs/samples.test.ts", "test/docs/webhookCode.test.ts"]

export const tiers: ReadonlyArray<Tier> = [
  {
    name: "rules",
    include: ["test/core/**/*.test.ts", "test/openapi/**/*.test.ts", "test/dashboard/lib/*.test.ts"],
    isQuick: true,
    isPure: true
  },
  {
    name: "contracts",
    include: ["test/contract/memory.test.ts", "test/contract/ports.test.ts"],
    isQuick: true
  },
  {
    name: "api",
    include: [
      "audienceLimit",
      "engagedFirst",
      "harness",
      "held",
      "longWork",
      "lostJobs",
      "memory",
      "objectStorage",
      "sandboxLinks",
      "signing",
      "smtpLockout",
      "standing",
      "systemMail",
      "unknownAddresses"
    ].map((name) => `test/api/${name}.test.ts`),
    isQuick: true
  },
  {
    name: "adapters",
    include: ["test/adapters/**/*.test.ts"],
    exclude: longAdapters,
    isQuick: true
  },
  {
    name: "repository",
    include: ["test/docs/*.test.ts", "test/client/*.test.ts", "test/*.test.ts"],
    exclude: longDocs,
    isQuick: true
  },
  {
    name: "databases",
    include: [
      ...["differential", "pglite", "postgres"].map((name) => `test/contract/${name}.test.ts`),
      ...["pglite", "postgres", "retention"].map((name) => `test/api/${name}.test.ts`),
      ...longAdapters
    ],
    isQuick: false
  },
  {
    name: "servers",
    include: ["test/api/node.test.ts", "test/api/bun.test.ts", "test/runtimes/*.test.ts"],
    isQuick: false
  },
  { name: "dashboard", include: ["test/dashboard/*.test.ts"], isQuick: false },
  { name: "month", include: ["test/month/*.test.ts", "test/internet/*.test.ts"], isQuick: false },
  {
    name: "package",
    include: ["test/package/*.test.ts", "test/deploy/*.test.ts", ...longDocs],
    isQuick: false
  }
]
