/**
 * Tests that the generated client is up to date and has no dependencies.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"
import { expect, it } from "vitest"
import { operations } from "../../client/generated.ts"
import { operations as managementOperations } from "../../client/management.ts"
import { methodsPage, withMethods } from "./ClientMethods.ts"
import { clients, generateClient, generateRoutes, routesFile } from "./Generator.ts"
import { typesOf } from "./TypeScriptOf.ts"

const folder = fileURLToPath(new URL("../../client/", import.meta.url))
const sourceOf = (file: string): string => readFileSync(folder + file, "utf8")

it.each(Object.entries(clients))(
  "%s is what `npm run client` generates from the definitions",
  (file, target) => {
    expect(sourceOf(file)).toBe(generateClient(target))
  }
)

it("the dashboard's routes are what `npm run client` generates from the definitions", () => {
  expect(readFileSync(new URL(`../../${routesFile}`, import.meta.url), "utf8")).toBe(generateRoutes())
})

it.each([
  ["svc", operations],
  ["svc.management", managementOperations]
])("has every method of %s in its page", (client, groups) => {
  // The file itself, which is in the package.
  const page = readFileSync(new URL(`../../${methodsPage}`, import.meta.url), "utf8")
  expect(page).toBe(withMethods(page))
  const listed = Array.from(page.matchAll(/^\| `([\w.]+)\(/gm), ([, method]) => method).filter(
    (method) => method?.split(".").length === client.split(".").length + 2
  )
  const methods = Object.entries<object>(groups).flatMap(([group, members]) =>
    Object.keys(members).map((name) => `${client}.${group}.${name}`)
  )
  expect(listed).toEqual(methods)
})

it("imports nothing but its own files", () => {
  const imports = readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => Array.from(sourceOf(file).matchAll(/\bfrom "([^"]*)"|\bimport\("([^"]*)"/g)))
    .map(([, from, dynamic]) => from ?? dynamic)
  expect(imports.length).toBeGreaterThan(0)
  expect(imports.filter((path) => path?.startsWith("./") !== true)).toEqual([])
})

it("makes types of schemas", () => {
  const Named = Schema.Struct({ size: Schema.Literals(["S", "L"]) }).annotate({
    identifier: "Named",
    description: "A thing */ of a size"
  })
  const { declarations, expressions } = typesOf([
    Schema.Struct({
      id: Schema.String.annotateKey({ description: "Its id" }),
      some: Schema.optionalKey(Schema.NullOr(Schema.Array(Named))),
      any: Schema.Record(Schema.String, Schema.Json)
    }).ast,
    Schema.Array(Schema.NullOr(Schema.Number)).ast
  ])
  expect(declarations.get("Named")).toBe(
    '/** A thing *\\/ of a size */\nexport interface Named {\n  readonly size: "S" | "L"\n}\n'
  )
  expect(expressions).toEqual([
    `{
      /** Its id */
      readonly id: string
      readonly some?: ReadonlyArray<Named> | null | undefined
      readonly any: {
        readonly [key: string]: unknown
      }
    }`,
    "ReadonlyArray<number | null>"
  ])
})

it("rejects a schema without a TypeScript type", () => {
  expect(() => typesOf([Schema.Tuple([Schema.String]).ast])).toThrow("No type for a tuple.")
  expect(() => typesOf([Schema.Date.ast])).toThrow("No type for effect/schema/Date.")
})
