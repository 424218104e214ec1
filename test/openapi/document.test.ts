/**
 * Tests that the published document is served, complete and correct.
 *
 * @module
 */
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { contractPaths } from "../../adapters/http/schema/ContractApi.ts"
import { makeOpenApi } from "../../adapters/http/schema/openapi/OpenApi.ts"
import {
  methods,
  type OpenApiDocument,
  type SchemaObject
} from "../../adapters/http/schema/openapi/OpenApiModel.ts"
import { ManagementApi } from "../../adapters/http/schema/ManagementApi.ts"
import { makeManagementOpenApi } from "../../adapters/http/schema/openapi/ManagementOpenApi.ts"
import { endpointsOf } from "../../adapters/http/schema/openapi/OpenApiOperations.ts"
import { compileSchemas } from "../../adapters/http/schema/openapi/OpenApiSchema.ts"
import { permissions } from "../../core/model/Permission.ts"
import { emailEventTypes } from "../../core/model/EmailEvent.ts"
import { catalogue } from "../../core/shared/Problem.ts"
import { campaignBody, emailBody, testBody } from "../../core/webhooks/Payload.ts"
import { campaignEventTypes, webhookEventTypes } from "../../core/model/Webhook.ts"
import { type Embedded, start } from "../../runtimes/embedded/index.ts"
import { makeValidators } from "../support/contract.ts"

const document = makeOpenApi("https://mail.example.org")

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  methods.flatMap((method) => {
    const operation = item[method]
    return operation === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, operation }]
  })
)

describe("messages of errors", () => {
  it("name only routes that exist", () => {
    const shape = (path: string): string => path.replaceAll(/[{<]\w+[}>]/g, "*")
    const routes = new Set(
      [document, makeManagementOpenApi("https://mail.example.org")].flatMap(({ paths }) =>
        Object.entries(paths).flatMap(([path, item]) =>
          methods.flatMap((method) =>
            item[method] === undefined ? [] : [`${method.toUpperCase()} ${shape(path)}`]
          )
        )
      )
    )
    const texts = Object.values(catalogue).flatMap((entry: { message: string; explained?: unknown }) => [
      entry.message,
      ...[entry.explained ?? []].flat().map(String)
    ])
    const named = texts.flatMap((text) =>
      [...text.matchAll(/\b(GET|POST|PATCH|PUT|DELETE) (\/[^\s,;.]+)/g)].map(
        ([, method, path]) => `${method} ${shape(path!)}`
      )
    )
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((route) => !routes.has(route))).toEqual([])
  })
})

describe("the document is served", () => {
  let service: Embedded
  beforeAll(async () => {
    service = await start()
  })
  afterAll(() => service?.close())
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    service.fetch(new Request(service.baseUrl + path, { headers }))

  it.each(Object.values(contractPaths))("at %s, without a key and with cache headers", async (path) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "cache-control": expect.stringMatching(/^public, max-age=\d+$/),
      "content-security-policy": expect.stringContaining("default-src 'none'")
    })
    const body = await response.text()
    const etag = response.headers.get("etag")!
    const again = await get(path, { "if-none-match": etag })
    expect([again.status, await again.text()]).toEqual([304, ""])
    expect(await (await get(path, { "if-none-match": '"other"' })).text()).toBe(body)
  })

  it("names the service's own address", async () => {
    const served = (await (await get(contractPaths.openApi)).json()) as OpenApiDocument
    expect(served).toEqual(makeOpenApi(service.baseUrl))
    expect(served).toMatchObject({
      openapi: "3.0.0",
      info: { version: "v1" },
      servers: [{ url: service.baseUrl }]
    })
  })
})

describe("the document of the management API", () => {
  const { components, paths } = makeManagementOpenApi("https://mail.example.org")

  it("names each schema once", () => {
    const names = [...Object.keys(components.schemas), ...Object.keys(document.components.schemas)]
    expect(names.filter((name) => /_\d+$/.test(name))).toEqual([])
  })

  it("has every route with its token, a summary and only references that exist", () => {
    const routes = endpointsOf(ManagementApi).map(
      ({ endpoint }) => `${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`
    )
    const all = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        route: `${method.toUpperCase()} ${path}`,
        operation
      }))
    )
    expect(all.map(({ route }) => route).toSorted()).toEqual(routes.toSorted())
    for (const { operation, route } of all) {
      expect([route, operation.security]).toEqual([route, [{ ManagementToken: [] }]])
      expect([route, operation.summary]).toEqual([route, expect.stringMatching(/^[A-Z]/)])
      const statuses = Object.keys(operation.responses)
      // Signing in at a provider responds with a redirect.
      expect([route, statuses.some((status) => /^[23]/.test(status))]).toEqual([route, true])
    }
    const references = JSON.stringify(paths).match(/(?<="\$ref":"#\/components\/schemas\/)[^"]+/g) ?? []
    expect(references.length).toBeGreaterThan(20)
    expect(references.filter((name) => !(name in components.schemas))).toEqual([])
  })
})

describe("complete", () => {
  it.each(operations)("$name", ({ operation }) => {
    const { description, requestBody, responses, summary } = operation
    expect(summary).not.toBe(operation.operationId)
    expect(description).toMatch(/\w/)
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["401", "429", "503"]))
    // A call that was counted has its rate headers in any response, but the count itself may be unavailable.
    expect(responses["503"]?.headers?.["RateLimit-Limit"]).toMatchObject({ required: false })
    expect(Object.keys(responses).some((status) => status === "200" || status === "201")).toBe(true)
    for (const [status, { content = {}, "x-error-codes": codes = [] }] of Object.entries(responses)) {
      for (const media of Object.values(content)) expect(media.example).toBeDefined()
      for (const code of codes)
        expect([code, catalogue[code as never]["status"]]).toEqual([code, Number(status)])
    }
    if (requestBody !== undefined) {
      expect(requestBody.content["application/json"]!.example).toBeDefined()
      expect(requestBody.description).toMatch(/At most \d+ MiB/)
      expect(Object.keys(responses["400"]!.content!)).toContain("application/problem+json")
    }
    const documented = Object.values(responses).flatMap((response) => response["x-error-codes"] ?? [])
    expect(documented.toSorted()).toEqual(operation["x-error-codes"])
  })

  it("names only existing permissions", () => {
    const needed = new Set(operations.flatMap(({ operation }) => operation["x-permission"] ?? []))
    expect(permissions).toEqual(expect.arrayContaining([...needed]))
    expect(needed.size).toBeGreaterThan(6)
  })

  it("has no keyword of OpenAPI 3.1", () => {
    const inspect = (schema: SchemaObject, where: string): void => {
      for (const keyword of ["const", "examples", "$defs", "oneOf", "prefixItems", "propertyNames"])
        expect([where, keyword in schema]).toEqual([where, false])
      expect([where, Array.isArray(schema.type), (schema.type as string) === "null"]).toEqual([
        where,
        false,
        false
      ])
      expect([where, schema.$ref === undefined || Object.keys(schema).length === 1]).toEqual([where, true])
      for (const [name, property] of Object.entries(schema.properties ?? {}))
        inspect(property, `${where}.${name}`)
      for (const one of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) inspect(one, where)
      if (schema.items !== undefined) inspect(schema.items, `${where}[]`)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) inspect(schema, name)
  })
})

describe("webhooks", () => {
  const validate = makeValidators(document, true)
  const id = "01932f6a-7c00-7000-8000-000000000001"
  const bodyOf = (type: (typeof webhookEventTypes)[number], contactId: string | null): unknown => {
    if (type === "webhook.test") return JSON.parse(testBody(id, 0))
    if (type === "campaign.paused") return JSON.parse(campaignBody(id, type, id, "campaigns.bounces", 0))
    if (type === "campaign.sent") return JSON.parse(campaignBody(id, type, id, null, 0))
    const about = {
      accountId: id,
      deliveryId: id,
      submissionId: id,
      email: "a@b.example",
      at: 0,
      visitor: null
    }
    const url = type === "email.clicked" ? "https://b.example/" : null
    const reason = type === "email.complained" && contactId === null ? null : "550 5.1.1"
    return JSON.parse(emailBody(id, { ...about, type, url, reason }, { contactId, sourceId: contactId }))
  }
  const schemaOf = (type: string) =>
    document["x-webhooks"][type]!.post!.requestBody!.content["application/json"]!

  it.each(webhookEventTypes)("%s matches what the service sends", (type) => {
    for (const contactId of [id, null])
      expect(validate(schemaOf(type).schema, bodyOf(type, contactId))).toEqual([])
    expect(validate(schemaOf(type).schema, schemaOf(type).example)).toEqual([])
    const other = type === "email.sent" ? "email.opened" : "email.sent"
    expect(validate(schemaOf(type).schema, bodyOf(other, id))).not.toEqual([])
  })

  it("lists every event type", () => {
    expect(Object.keys(document["x-webhooks"])).toEqual([
      ...emailEventTypes,
      ...campaignEventTypes,
      "webhook.test"
    ])
  })
})

describe("a schema of JSON Schema 2020-12 is converted to OpenAPI 3.0:", () => {
  const Named = Schema.Struct({ a: Schema.String }).annotate({ identifier: "Named" })
  const one = (schema: Schema.Top) => compileSchemas({ one: schema }).schemas["one"]
  const cases: ReadonlyArray<readonly [string, Schema.Top, SchemaObject]> = [
    ["nullable", Schema.NullOr(Schema.String), { type: "string", nullable: true }],
    ["null alone", Schema.Null, { type: "object", nullable: true, enum: [null] }],
    ["a literal", Schema.Literal("a"), { type: "string", enum: ["a"] }],
    [
      "nullable literals",
      Schema.NullOr(Schema.Literals(["a", "b"])),
      { type: "string", enum: ["a", "b", null], nullable: true }
    ],
    ["a whole number", Schema.Int, { type: "integer", format: "int32" }],
    ["a number", Schema.Number, { type: "number" }],
    [
      "a choice",
      Schema.Union([Schema.String, Schema.Boolean]),
      { anyOf: [{ type: "string" }, { type: "boolean" }] }
    ],
    [
      "a nullable choice",
      Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean])),
      { anyOf: [{ type: "string", nullable: true }, { type: "boolean" }] }
    ],
    ["a reference", Named, { $ref: "#/components/schemas/Named" }],
    [
      "a nullable reference",
      Schema.NullOr(Named),
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], nullable: true }
    ],
    ["anything", Schema.Unknown, {}],
    ["limits", Schema.String.annotate({ maxLength: 3 }), { type: "string", maxLength: 3 }],
    [
      "a list with limits",
      Schema.Array(Schema.String).annotate({ maxItems: 2 }),
      { type: "array", items: { type: "string" }, maxItems: 2 }
    ],
    [
      "values by name",
      Schema.Record(Schema.String, Schema.Boolean),
      { type: "object", additionalProperties: { type: "boolean" } }
    ]
  ]
  it.each(cases)("%s", (_name, schema, expected) => {
    expect(one(schema)).toEqual(expected)
  })

  it("a reference with a description", () => {
    const schema = Schema.Struct({ a: Named.annotateKey({ description: "d" }) })
    expect(one(schema)?.properties?.["a"]).toEqual({
      description: "d",
      allOf: [{ $ref: "#/components/schemas/Named" }]
    })
  })

  it("a keyword that OpenAPI 3.0 lacks is rejected", () => {
    expect(() => one(Schema.Tuple([Schema.String]))).toThrow(/no keyword/)
  })
})
