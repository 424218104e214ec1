/**
 * Tests that each test file runs in exactly one tier, and that the commands run the tiers they name.
 *
 * @module
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Tier, tiers } from "./tiers.ts"

const root = join(import.meta.dirname, "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> }

const filesOf = ({ exclude = [], include }: Pick<Tier, "exclude" | "include">): ReadonlyArray<string> =>
  globSync(include, { cwd: root, exclude })

describe("the tiers", () => {
  it("hold each test file exactly once", () => {
    const all = filesOf({ include: ["test/**/*.test.ts"] })
    expect(all.length).toBeGreaterThan(100)
    expect(tiers.flatMap(filesOf).toSorted()).toEqual(all.toSorted())
  })

  it("name no file or folder that does not exist", () => {
    const patterns = tiers.flatMap(({ exclude = [], include }) => [...include, ...exclude])
    expect(patterns.filter((pattern) => filesOf({ include: [pattern] }).length === 0)).toEqual([])
  })

  it("have unique names", () => {
    expect(new Set(tiers.map(({ name }) => name)).size).toBe(tiers.length)
  })
})

describe("the black-box suites", () => {
  const index = read("test/api/suites/index.ts")
  const timed = /const timed[^[]*\[([^\]]*)\]/.exec(index)![1]!
  const nameOf = new Map(
    Array.from(index.matchAll(/import \{ (\w+) \} from "\.\/(\w+)\.ts"/g), ([, name, file]) => [file!, name!])
  )

  it("that move the clock are those that say so", () => {
    const moving = Array.from(nameOf, ([file, name]) =>
      /(?<!"POST \/manage\/v1\/clock\/)\badvance\b/.test(read(`test/api/suites/${file}.ts`)) ? [name] : []
    ).flat()
    expect(Array.from(timed.matchAll(/\w+Suite/g), ([name]) => name).toSorted()).toEqual(moving.toSorted())
  })
})

describe("the commands", () => {
  it("`npm test` runs the quick tiers", () => {
    const named = Array.from(scripts["test"]!.matchAll(/--project (\S+)/g), ([, name]) => name)
    expect(named).toEqual(tiers.flatMap(({ isQuick, name }) => (isQuick ? [name] : [])))
  })

  it("`npm run test:all` runs every tier, and `.ci/run` calls it", () => {
    expect(scripts["test:all"]).toBe("vitest run")
    expect(read(".ci/run")).toMatch(/^if ! npm run test:all -- --reporter/m)
  })

  it("are described with each tier in docs/developing.md", () => {
    const page = read("docs/developing.md")
    expect(tiers.filter(({ name }) => !new RegExp(`^\\| \`${name}\` +\\|`, "m").test(page))).toEqual([])
    for (const command of ["npm test", "npm run test:all", "npm run soak"]) {
      expect([command, page.includes(command), read("README.md").includes(command)]).toEqual([
        command,
        true,
        true
      ])
    }
  })
})
