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

export default defineConfig({
  test: {
    environment: "node",
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 180_000,
    hookTimeout: 240_000,
    reporters: ["default"]
  }
})
