/**
 * Generates a Postman collection (format v2.1.0) from the OpenAPI document. It has a folder for each tag and a request with
 * an example for each operation, in an order in which all of them succeed on a new sandbox.
 *
 * @module
 */
import { type Link, methods, type OpenApiDocument, type Operation, type Parameter } from "./OpenApiModel.ts"

const schemaUrl = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

interface Field {
  readonly key: string
  readonly value: string
  readonly description?: string
  readonly disabled?: boolean
}

interface Script {
  readonly listen: "test"
  readonly script: { readonly type: "text/javascript"; readonly exec: ReadonlyArray<string> }
}

/** A request of a collection. */
export interface PostmanRequest {
  readonly name: string
  readonly event: ReadonlyArray<Script>
  readonly request: {
    readonly method: string
    readonly description: string
    readonly auth?: {
      readonly type: "bearer"
      readonly bearer: ReadonlyArray<Field & { readonly type: "string" }>
    }
    readonly header: ReadonlyArray<Field>
    readonly url: {
      readonly raw: string
      readonly host: ReadonlyArray<string>
      readonly path: ReadonlyArray<string>
      readonly query: ReadonlyArray<Field>
      readonly variable: ReadonlyArray<Field>
    }
    readonly body?: {
      readonly mode: "raw"
      readonly raw: string
      readonly options: { readonly raw: { readonly language: "json" } }
    }
  }
}

/** A folder of a collection. */
export interface PostmanFolder {
  readonly name: string
  readonly description: string
  readonly item: ReadonlyArray<PostmanRequest>
}

/** A collection. */
export interface PostmanCollection {
  readonly info: { readonly name: string; readonly description: string; readonly schema: string }
  readonly auth: NonNullable<PostmanRequest["request"]["auth"]>
  readonly variable: ReadonlyArray<Field>
  readonly item: ReadonlyArray<PostmanFolder>
}

interface Placed {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The variable of a security scheme: `apiKey` for `ApiKey`. */
const variableOf = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

const bearer = (scheme: string): NonNullable<PostmanRequest["request"]["auth"]> => ({
  type: "bearer",
  bearer: [{ key: "token", value: `{{${variableOf(scheme)}}}`, type: "string" }]
})

const operationsOf = ({ paths }: OpenApiDocument): ReadonlyArray<Placed> =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path, operation }]
    })
  )

/** Requests that create come before reads, and deletions last. */
const rank = ({ method }: Placed): number => (method === "POST" ? 0 : method === "DELETE" ? 2 : 1)

/** The variable for a link's parameter: the operation's group and the parameter, such as `sendingId`. */
const linkVariable = (operationId: string, parameter: string): string =>
  (operationId.split(".")[0] ?? "") + parameter.charAt(0).toUpperCase() + parameter.slice(1)

const linksOf = ({ responses }: Operation): ReadonlyArray<Link> => {
  const links = Object.values(responses).flatMap((response) => Object.values(response.links ?? {}))
  return [...new Map(links.map((link) => [link.operationId, link])).values()]
}

const isSuccess = (status: string): boolean => status.startsWith("2")

/** Converts a pointer such as `$response.body#/value/id` to an expression over the response's `body`. */
const expressionOf = (pointer: string): string =>
  pointer
    .slice(pointer.indexOf("#/") + 2)
    .split("/")
    .reduce((path, key) => `${path}[${JSON.stringify(key)}]`, "body")

const scriptOf = (operation: Operation): Script => {
  const statuses = Object.keys(operation.responses).filter(isSuccess).map(Number)
  const kept = linksOf(operation).flatMap(({ operationId, parameters }) =>
    Object.entries(parameters).map(
      ([name, pointer]) =>
        `pm.collectionVariables.set(${JSON.stringify(linkVariable(operationId, name))}, ${expressionOf(pointer)})`
    )
  )
  return {
    listen: "test",
    script: {
      type: "text/javascript",
      exec: [
        `pm.test("returns ${statuses.join(" or ")}", () => {`,
        `  pm.expect(pm.response.code).to.be.oneOf(${JSON.stringify(statuses)})`,
        "})",
        ...(kept.length === 0 ? [] : ["const body = pm.response.json()", ...kept])
      ]
    }
  }
}

const fieldOf = ({ description, example, name, required }: Parameter): Field => ({
  key: name,
  value: example === undefined ? "" : String(example),
  ...(description === undefined ? {} : { description }),
  ...(required || example !== undefined ? {} : { disabled: true })
})

/** The value of a path parameter: a variable that an earlier response sets, or an id that cannot be guessed. */
const pathVariable = (
  operation: Operation,
  linked: ReadonlySet<string>,
  { name, schema }: Parameter
): string | null => {
  const variable = linkVariable(operation.operationId, name)
  if (linked.has(variable)) return variable
  return schema.format === "uuid" ? name : null
}

const pathField = (operation: Operation, linked: ReadonlySet<string>, parameter: Parameter): Field => {
  const variable = pathVariable(operation, linked, parameter)
  return { ...fieldOf(parameter), ...(variable === null ? {} : { value: `{{${variable}}}` }) }
}

const requestOf = (
  { method, operation, path }: Placed,
  linked: ReadonlySet<string>,
  usual: string
): PostmanRequest => {
  const { parameters = [], requestBody, security } = operation
  const of = (place: Parameter["in"]) => parameters.filter((parameter) => parameter.in === place)
  const query = of("query").map(fieldOf)
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ":$1")
  const sent = query.filter((field) => field.disabled !== true).map(({ key, value }) => `${key}=${value}`)
  const [scheme = usual] = Object.keys(security[0] ?? {})
  const body = requestBody?.content["application/json"]?.example
  return {
    name: operation.summary,
    event: [scriptOf(operation)],
    request: {
      method,
      description: operation.description,
      ...(scheme === usual ? {} : { auth: bearer(scheme) }),
      header: [
        { key: "Accept", value: "application/json" },
        ...(requestBody === undefined ? [] : [{ key: "Content-Type", value: "application/json" }]),
        ...of("header").map(fieldOf)
      ],
      url: {
        raw: `{{baseUrl}}/${segments}${sent.length === 0 ? "" : `?${sent.join("&")}`}`,
        host: ["{{baseUrl}}"],
        path: segments.split("/"),
        query,
        variable: of("path").map((parameter) => pathField(operation, linked, parameter))
      },
      ...(requestBody === undefined
        ? {}
        : {
            body: {
              mode: "raw",
              raw: JSON.stringify(body, null, 2),
              options: { raw: { language: "json" } }
            }
          })
    }
  }
}

/** Makes the collection of a document. */
export const makePostmanCollection = (document: OpenApiDocument): PostmanCollection => {
  const operations = operationsOf(document)
  const linked = new Set(
    operations.flatMap(({ operation }) =>
      linksOf(operation).flatMap(({ operationId, parameters }) =>
        Object.keys(parameters).map((name) => linkVariable(operationId, name))
      )
    )
  )
  const inPaths = operations.flatMap(({ operation }) =>
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === "path")
      .flatMap((parameter) => pathVariable(operation, linked, parameter) ?? [])
  )
  const schemes = Object.keys(document.components.securitySchemes)
  const [usual = ""] = schemes
  const folders = document.tags.map(({ description, name }) => ({
    name,
    description,
    item: operations
      .filter(({ operation }) => operation.tags.includes(name))
      .toSorted((one, other) => rank(one) - rank(other))
      .map((placed) => requestOf(placed, linked, usual))
  }))
  return {
    info: {
      name: `${document.info.title} ${document.info.version}`,
      description: document.info.description,
      schema: schemaUrl
    },
    auth: bearer(usual),
    variable: [
      { key: "baseUrl", value: document.servers[0]?.url ?? "" },
      ...schemes.map((scheme) => ({ key: variableOf(scheme), value: "" })),
      ...[...new Set([...linked, ...inPaths])].map((key) => ({ key, value: "" }))
    ],
    item: folders.filter(({ item }) => item.length > 0)
  }
}
