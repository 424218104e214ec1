import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { tiers } from "./test/tiers.ts"

/**
 * The tiers with the slowest files, the slowest first. Their files start first, so that none is left running alone at the end.
 */
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
    // Twice the processors of the machine for which the time limits are set, because many tests wait for processes or for time to
    // pass.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    reporters: ["default"],
    projects: tiers.map(({ exclude = [], include, isPure = false, isQuick, name }) => ({
      test: {
        name,
        include: [...include],
        exclude: [...exclude],
        // The processes of the quick tiers load shared modules only once, and by Node itself. A process that runs a single file loads
        // them faster from the cache of Vite.
        isolate: !isQuick,
        experimental: { viteModuleRunner: !isQuick, nodeLoader: false },
        globalSetup: isPure ? [] : ["test/support/globalSetup.ts"],
        setupFiles: isPure ? [] : ["test/support/setup.ts"],
        environment: "node",
        pool: "forks",
        testTimeout: 180_000,
        hookTimeout: 240_000,
        // The default of one second is too short on a busy machine.
        expect: { poll: { timeout: 30_000 } }
      }
    }))
  }
})
