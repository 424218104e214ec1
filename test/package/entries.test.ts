/**
 * Tests that the package's entries export every port and the contract suite of every port.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { root } from "./tarball.ts"

const read = (path: string): string => readFileSync(join(root, path), "utf8")

it("`svc/ports` exports every port", () => {
  const ports = readdirSync(join(root, "core/ports")).filter((file) => file !== "index.ts")
  const exported = Array.from(
    read("core/ports/index.ts").matchAll(/^export \* from "\.\/(.*)"$/gm),
    ([, file]) => file
  )
  expect(exported.toSorted()).toEqual(ports.toSorted())
})

it("every port has a contract suite", () => {
  const files = (folder: string) => readdirSync(join(root, folder)).filter((file) => file !== "index.ts")
  const suites = files("test/contract")
  expect(files("core/ports").filter((port) => !suites.includes(port))).toEqual([])
})

it("`svc/contract` exports and runs every suite", () => {
  const index = read("test/contract/index.ts")
  const suites = readdirSync(join(root, "test/contract"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "index.ts")
    .flatMap((file) => Array.from(read(`test/contract/${file}`).matchAll(/^export const (\w+Contract)\b/gm)))
    .map(([, name]) => name)
  const listed = (pattern: RegExp) =>
    pattern
      .exec(index)?.[1]
      ?.split(",")
      .map((name) => name.trim())
      .toSorted()
  expect(suites.length).toBeGreaterThan(0)
  expect(listed(/^export \{([^}]*)\}$/m)).toEqual(suites.toSorted())
  const registered = listed(/^const suites.*= \[([^\]]*)\]$/m) ?? []
  const tests = readdirSync(join(root, "test/contract"))
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => read(`test/contract/${file}`))
  const isRun = (suite: string) =>
    registered.includes(suite) ||
    tests.some((text) => new RegExp(`(^| )${suite}(?:[()]|\\n\\))`, "m").test(text))
  expect(suites.filter((suite) => !isRun(suite!))).toEqual([])
})
