/**
 * Tests that the documentation, the package and the command line use the names that are defined in one place, and that nothing
 * suggests downloading a package by a name that belongs to others.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { commandName, packageName } from "../../core/kernel/Names.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const within = (folder: string, ...endings: ReadonlyArray<string>): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => endings.some((ending) => file.endsWith(ending)))
    .map((file) => join(folder, file))

const texts = [
  "README.md",
  "CONTRIBUTING.md",
  ...within("docs", ".md"),
  ...within("deploy", ".md", "Dockerfile")
]

describe("the names", () => {
  it("are those of the package and of its command", () => {
    const { bin, name } = JSON.parse(read("package.json")) as { name: string; bin: object }
    expect([name, Object.keys(bin)]).toEqual([packageName, [commandName]])
    expect(read("test/runtimes/__snapshots__/help.txt")).toContain(`$ ${commandName} start --help`)
  })

  it.each(texts)("are not downloaded from a registry by %s", (path) => {
    const downloads = new RegExp(
      `\\b(?:npx|bunx|pnpx|(?:npm|pnpm|yarn) (?:exec|dlx)|(?:npm|pnpm|yarn|bun) (?:i|install|add)) (?:-\\S+ )*(?:${packageName}|${commandName})(?![\\w./:-])`,
      "g"
    )
    expect(read(path).match(downloads)).toBeNull()
  })

  it("begin the imports of every sample", () => {
    const imported = [...texts, ...within("examples", ".ts")]
      .flatMap((path) => [...read(path).matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => name))
      .filter(
        (name) => /\/(?:client|embedded|core|ports|contract|adapters)\b/.test(name) && !name.startsWith(".")
      )
    expect(imported.length).toBeGreaterThan(5)
    expect(imported.filter((name) => !name.startsWith(`${packageName}/`))).toEqual([])
  })
})
