/**
 * Tests invalid values on every route of the two published documents: text that cannot be stored in each field and parameter, and
 * lists and objects with very many wrong elements at each position of a body.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { contractPaths } from "../../../adapters/http/schema/ContractApi.ts"
import { call } from "../../support/client.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace } from "../../support/workspace.ts"

type Fields = Readonly<Record<string, unknown>>
type Path = ReadonlyArray<string | number>

/** A position in a body, and the schema of its value. */
interface Place {
  readonly path: Path
  readonly kind: "list" | "map" | "text"
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"
const maxDepth = 5
/** Many more elements than any list may have, but fewer than the values a body may have. */
const many = 20_000
/** The largest response. A response lists at most 100 errors, and names fields. */
const maxResponse = 60_000

/** Failed sign-ins would block the network from which other suites call. */
const isSignIn = (path: string): boolean => /\/(?:session|welcome|setup)\b/.test(path)

/** A schema with its references resolved. */
const resolved = (document: Fields, schema: unknown): Fields => {
  const found = fieldsOf(schema)
  const reference = found["$ref"]
  if (typeof reference !== "string") return found
  const at = reference.slice(2).split("/")
  return resolved(
    document,
    at.reduce<unknown>((one, name) => fieldsOf(one)[name], document)
  )
}

const alternativesOf = (schema: Fields): ReadonlyArray<unknown> =>
  ["anyOf", "oneOf", "allOf"].flatMap((name) => listOf(schema[name]))

const placesIn = (document: Fields, given: unknown, path: Path = [], depth = 0): ReadonlyArray<Place> => {
  if (depth > maxDepth) return []
  const schema = resolved(document, given)
  const inner = (one: unknown, name?: string | number) =>
    placesIn(document, one, name === undefined ? path : [...path, name], depth + 1)
  const places: Array<Place> = alternativesOf(schema).flatMap((one) => inner(one))
  if (schema["type"] === "array") places.push({ path, kind: "list" }, ...inner(schema["items"], 0))
  if (isFields(schema["additionalProperties"])) {
    places.push({ path, kind: "map" }, ...inner(schema["additionalProperties"], "key"))
  }
  for (const [name, one] of Object.entries(fieldsOf(schema["properties"]))) places.push(...inner(one, name))
  if (schema["type"] === "string" && schema["enum"] === undefined) places.push({ path, kind: "text" })
  return places
}

/** A value with the required fields of a schema. */
const sampleOf = (document: Fields, given: unknown, depth = 0): unknown => {
  const schema = resolved(document, given)
  const [example] = listOf(schema["examples"])
  if (example !== undefined || depth > maxDepth) return example ?? null
  const [literal] = listOf(schema["enum"])
  if (literal !== undefined) return literal
  const [alternative] = alternativesOf(schema)
  if (alternative !== undefined) return sampleOf(document, alternative, depth + 1)
  switch (schema["type"]) {
    case "object":
      return Object.fromEntries(
        listOf(schema["required"]).map((name) => [
          String(name),
          sampleOf(document, fieldsOf(schema["properties"])[String(name)], depth + 1)
        ])
      )
    case "array":
      return []
    case "string":
      return schema["format"] === "date-time" ? "2026-01-01T00:00:00Z" : "text"
    case "boolean":
      return true
    case "number":
    case "integer":
      return 1
    default:
      return null
  }
}

/** The JSON of a value with other JSON inserted at a position. */
const withJson = (value: unknown, path: Path, json: string): string => {
  const [name, ...rest] = path
  if (name === undefined) return json
  if (typeof name === "number") return `[${withJson(listOf(value)[0], rest, json)}]`
  const others = Object.entries(fieldsOf(value)).filter(([other]) => other !== name)
  const members = others.map(([other, one]) => `${JSON.stringify(other)}:${JSON.stringify(one)}`)
  const member = `${JSON.stringify(name)}:${withJson(fieldsOf(value)[name], rest, json)}`
  return `{${[...members, member].join()}}`
}

const wrong: Readonly<Record<Place["kind"], ReadonlyArray<string>>> = {
  text: ['"a\\u0000b"', '"\\ud800"', JSON.stringify("x".repeat(100_000))],
  list: [`[${"{},".repeat(many)}{}]`, `[${'"\\u0000",'.repeat(3)}1]`],
  map: [`{${Array.from({ length: many }, (_, index) => `"k${index}":{}`).join()}}`, '{"a\\u0000":{}}']
}

/** Tests of every route. */
export const everyRouteSuite = (target: () => Target): void => {
  describe("every route", () => {
    interface Route {
      readonly document: Fields
      readonly method: string
      readonly path: string
      readonly token: string
      readonly operation: Fields
    }
    let routes: ReadonlyArray<Route> = []

    beforeAll(async () => {
      const { companyId, sandbox } = await openWorkspace(target(), "Every route")
      await sandbox.manage("PATCH", "/settings", { rateLimitPerMinute: 100_000 })
      const ids: Readonly<Record<string, string>> = { accountId: sandbox.accountId, companyId }
      const read = async (from: string, token: string): Promise<ReadonlyArray<Route>> => {
        const document = fieldsOf(await (await target().fetch(from)).json())
        return Object.entries(fieldsOf(document["paths"])).flatMap(([template, methods]) =>
          Object.entries(fieldsOf(methods)).map(([method, operation]) => ({
            document,
            method: method.toUpperCase(),
            path: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? unknownId),
            token,
            operation: fieldsOf(operation)
          }))
        )
      }
      routes = [
        ...(await read(contractPaths.openApi, sandbox.key)),
        ...(await read(contractPaths.managementOpenApi, target().managementToken))
      ].filter(({ path }) => !isSignIn(path))
    })

    it("takes no text that cannot be stored for a failure of its own, and answers many wrong elements briefly", async () => {
      let calls = 0
      for (const { document, method, operation, path, token } of routes) {
        const content = fieldsOf(fieldsOf(fieldsOf(operation["requestBody"])["content"])["application/json"])
        const schema = content["schema"]
        if (schema === undefined || method === "DELETE") continue
        const sample = sampleOf(document, schema)
        const seen = new Set<string>()
        for (const place of placesIn(document, schema)) {
          const name = `${place.kind} ${place.path.join(".")}`
          if (seen.has(name)) continue
          seen.add(name)
          for (const json of wrong[place.kind]) {
            const { status, text } = await call(target(), method, path, {
              token,
              body: withJson(sample, place.path, json)
            })
            const about = `${method} ${path} ${name} ${json.slice(0, 20)}`
            const isBrief = text.length <= maxResponse || status < 400
            expect([about, status < 500, isBrief]).toEqual([about, true, true])
            calls++
          }
        }
      }
      expect(calls).toBeGreaterThan(1_000)
    })

    it("refuses parameters with text that cannot be stored, and has nothing on the last page that can be named", async () => {
      let calls = 0
      for (const { document, method, operation, path, token } of routes) {
        if (method !== "GET" || path.includes("stream")) continue
        const names = listOf(operation["parameters"])
          .map((one) => resolved(document, one))
          .flatMap((one) => (one["in"] === "query" ? [String(one["name"])] : []))
        const queries = names.flatMap((name) => [`?${name}=a%00b`, `?${name}=id:%00,b`])
        if (names.includes("page")) {
          const size = names.includes("limit") ? "limit" : "pageSize"
          const words = names.find((name) => name === "q" || name === "search")
          const far = `?${names.includes("view") ? "view=All&" : ""}page=2147483647&${size}=200`
          queries.push(far, ...(words === undefined ? [] : [`${far}&${words}=word`]))
        }
        for (const query of queries) {
          const { envelope, status } = await call(target(), method, path + query, { token })
          expect([path + query, status < 500]).toEqual([path + query, true])
          if (query.includes("page=2147483647") && status === 200) {
            expect([path + query, fieldsOf(envelope?.value)["items"]]).toEqual([path + query, []])
          }
          calls++
        }
      }
      expect(calls).toBeGreaterThan(300)
    })
  })
}
