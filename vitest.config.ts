import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Folders whose files take longest, the longest first: none of them shall be alone at the end of a run. */
const longest = [
  "/test/api/",
  "/test/runtimes/",
  "/test/package/",
  "/test/deploy/",
  "/test/month/",
  "/test/contract/"
]

const rank = ({ moduleId }: TestSpecification): number => {
  const place = longest.findIndex((folder) => moduleId.includes(folder))
  return place === -1 ? longest.length : place
}

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

const shared = { environment: "node", pool: "forks", testTimeout: 180_000, hookTimeout: 240_000 } as const

/** Files that only call functions: they keep nothing outside of themselves, so that each need not load everything anew. */
const pure = ["test/core/**/*.test.ts", "test/openapi/**/*.test.ts"]

export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ["default"],
    projects: [
      { test: { ...shared, name: "pure", include: pure, isolate: false } },
      {
        test: {
          ...shared,
          name: "services",
          include: ["test/**/*.test.ts"],
          exclude: pure,
          globalSetup: ["test/support/globalSetup.ts"]
        }
      }
    ]
  }
})
