import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { tiers } from "./test/tiers.ts"

/** Tiers whose files take longest, the longest first: none of them may be alone at the end of a run. */
const longest = ["servers", "databases", "dashboard", "repository", "package", "month", "api", "contracts"]

const rank = ({ project }: TestSpecification): number => {
  const position = longest.indexOf(project.name)
  return position === -1 ? longest.length : position
}

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  test: {
    // Twice the processors of the machine the limits are for: many tests wait, for processes of their own or for a time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ["default"],
    projects: tiers.map(({ exclude = [], include, isPure = false, isQuick, name }) => ({
      test: {
        name,
        include: [...include],
        exclude: [...exclude],
        // The processes of the quick tiers load once what their files share.
        isolate: !isQuick,
        // Node itself loads the sources. Only the checker of packages, of which vitest would have Node load the TypeScript, needs Vite.
        experimental: { viteModuleRunner: name === "package", nodeLoader: false },
        globalSetup: isPure ? [] : ["test/support/globalSetup.ts"],
        setupFiles: isPure ? [] : ["test/support/setup.ts"],
        environment: "node",
        pool: "forks",
        testTimeout: 180_000,
        hookTimeout: 240_000,
        // A second, the default, is short on a busy machine.
        expect: { poll: { timeout: 30_000 } }
      }
    }))
  }
})
