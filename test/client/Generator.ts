/**
 * Generates the typed client's types and operations from the API's definitions, so that the client matches the service.
 *
 * @module
 */
import { Context, Option, SchemaAST } from "effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { EndpointGuard, type Guard, OptionalBody } from "../../adapters/http/schema/Envelope.ts"
import { ManagementApi } from "../../adapters/http/schema/ManagementApi.ts"
import { FlowTriggerApi } from "../../adapters/http/schema/FlowTriggerApi.ts"
import { PublicApi } from "../../adapters/http/schema/PublicApi.ts"
import { catalogue } from "../../core/shared/Problem.ts"
import { comment, typesOf } from "./TypeScriptOf.ts"

/** A client: the definitions from which it is generated, and its interface. */
interface Target {
  readonly apis: ReadonlyArray<{ readonly groups: object }>
  readonly client: string
  readonly about: string
  readonly hasCodes: boolean
}

/** The clients, by the file of each one's types and operations. */
export const clients = {
  "generated.ts": {
    apis: [PublicApi, FlowTriggerApi],
    client: "Client",
    about: "The API's types and operations",
    hasCodes: true
  },
  "management.ts": {
    apis: [ManagementApi],
    client: "ManagementClient",
    about: "The management API's types and operations, those that exchange files excepted",
    hasCodes: false
  }
} as const satisfies Readonly<Record<string, Target>>

/** The file of the routes that the dashboard calls. */
export const routesFile = "dashboard/src/api/routes.ts"

const keyHeader = "idempotency-key"
const tagHeader = "if-match"

/** A call of the client, before its types are known. */
interface Call {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly params: ReadonlyArray<string>
  readonly summary: string
  readonly takesKey: boolean
  readonly takesTag: boolean
  readonly takesToken: boolean
  readonly hasOptionalBody: boolean
  /** The types of the response; several if they depend on the status. */
  readonly values: ReadonlyArray<SchemaAST.AST>
  readonly payload: SchemaAST.AST | null
  readonly query: SchemaAST.AST | null
}

/** The source of a client's file. */
export const generateClient = ({ about, apis, client, hasCodes }: Target): string => {
  const groups = apis.flatMap((api) => Object.values(api.groups as Record<string, HttpApiGroup.Top>))
  const calls = groups.flatMap((group) =>
    Object.entries(group.endpoints as Record<string, HttpApiEndpoint.Top>).flatMap(([name, endpoint]) =>
      present(callOf(group.identifier, name, endpoint))
    )
  )
  const used = groups.filter(({ identifier }) => calls.some(({ group }) => group === identifier))
  const options = [...new Set(["CallOptions", "Operations", ...calls.map(optionsOf)])].toSorted()
  const asts = calls.flatMap(({ payload, query, values }) => [
    ...values,
    ...present(payload),
    ...present(query)
  ])
  const [first, ...rest] = asts
  if (first === undefined) throw new Error("The definitions have no endpoint.")
  const { declarations, expressions } = typesOf([first, ...rest])
  const typeOf = (ast: SchemaAST.AST): string => expressions[asts.indexOf(ast)] ?? "never"
  return [
    `/**
 * ${about}, generated from its definitions by \`npm run client\`.
 *
 * @module
 */
import type { ${options.join(", ")} } from "./Operation.ts"
`,
    ...declarations.values(),
    clientOf(client, used, calls, typeOf),
    ...(hasCodes ? [codes()] : []),
    operationsOf(client, used, calls)
  ].join("\n")
}

const managementPrefix = "/manage/v1"

/**
 * The source of the dashboard's file of routes. It consists only of types, which determine the parameters, body and value of a
 * call by its method and path. The shapes are those of the management client.
 */
export const generateRoutes = (): string => {
  const { apis, client }: Target = clients["management.ts"]
  const calls = apis
    .flatMap((api) => Object.values(api.groups as Record<string, HttpApiGroup.Top>))
    .flatMap((group) =>
      Object.entries(group.endpoints as Record<string, HttpApiEndpoint.Top>).flatMap(([name, endpoint]) =>
        present(callOf(group.identifier, name, endpoint))
      )
    )
  const lines = calls.map(({ group, method, name, params, path, payload, query }) => {
    const types = [
      params.map((param) => JSON.stringify(param)).join(" | ") || "never",
      payload === null ? "undefined" : params.length,
      query === null ? "undefined" : params.length + (payload === null ? 0 : 1)
    ]
    const route = `${method} ${path.slice(managementPrefix.length)}`
    return `  readonly ${JSON.stringify(route)}: Route<Client["${group}"]["${name}"], ${types.join(", ")}>\n`
  })
  return `/**
 * The routes of the management API, generated from its definition by \`npm run client\`.
 *
 * @module
 */
import type { ${client} as Client } from "../../../client/management.ts"

type Method = (...args: ReadonlyArray<never>) => Promise<unknown>

/** A route by the client's method: the names of its path's parameters, and the positions of its body and query. */
interface Route<M extends Method, Params extends string, Body, Query> {
  readonly params: Readonly<Record<Params, string>>
  readonly body: Body extends number ? Parameters<M>[Body] : undefined
  readonly query: Query extends number ? Parameters<M>[Query] : undefined
  readonly value: Awaited<ReturnType<M>>
}

/** The routes, by method and path below \`${managementPrefix}\`. */
export interface Routes {
${lines.join("")}}
`
}

const present = <A>(value: A | null): ReadonlyArray<A> => (value === null ? [] : [value])

/** The call of an endpoint; null if it exchanges a file, which has no envelope. */
const callOf = (group: string, name: string, endpoint: HttpApiEndpoint.Top): Call | null => {
  const { headers, method, path, payload, query, success } = endpoint
  const headerNames = headers === undefined ? [] : propertiesOf(headers.ast).map((property) => property.name)
  if (headerNames.some((one) => one !== keyHeader && one !== tagHeader))
    throw new Error(`${group}.${name} takes an unknown header.`)
  const bodies = [...payload.values()].flatMap(({ schemas }) => schemas)
  const values = [...success].flatMap((schema) =>
    propertiesOf(schema.ast).flatMap((property) => (property.name === "value" ? [property.type] : []))
  )
  const takesFile = bodies.some(({ ast }) => SchemaAST.toType(ast)._tag === "String")
  if (values.length < success.size || takesFile) return null
  if (bodies.length > 1) throw new Error(`${group}.${name} takes bodies of several shapes.`)
  return {
    group,
    name,
    method,
    path,
    params: Array.from(path.matchAll(/:(\w+)/g), ([, param]) => param ?? ""),
    summary: summaryOf(endpoint),
    takesKey: headerNames.includes(keyHeader),
    takesTag: headerNames.includes(tagHeader),
    takesToken: guardOf(endpoint)?._tag === "FlowToken",
    hasOptionalBody: Context.get(endpoint.annotations as Context.Context<never>, OptionalBody),
    values,
    payload: bodies[0] === undefined ? null : SchemaAST.toType(bodies[0].ast),
    query: query === undefined ? null : SchemaAST.toType(query.ast)
  }
}

const propertiesOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> => {
  const type = SchemaAST.toType(ast)
  return type._tag === "Objects" ? type.propertySignatures : []
}

const guardOf = ({ annotations }: HttpApiEndpoint.Top): Guard | null =>
  Option.getOrNull(Context.getOption(annotations as Context.Context<never>, EndpointGuard as never))

const summaryOf = (endpoint: HttpApiEndpoint.Top): string => {
  const { annotations, method, path } = endpoint
  const known = annotations as Context.Context<never>
  const summary = Option.getOrElse(Context.getOption(known, OpenApi.Summary as never), () => "Call") as string
  const guard = guardOf(endpoint)
  const permission = guard?._tag === "Key" ? `, permission ${guard.permission}` : ""
  return `${summary} (${method} ${path}${permission})`
}

const clientOf = (
  client: string,
  groups: ReadonlyArray<HttpApiGroup.Top>,
  calls: ReadonlyArray<Call>,
  typeOf: (ast: SchemaAST.AST) => string
): string => {
  const members = groups.map(({ annotations, identifier }) => {
    const title = Option.getOrUndefined(
      Context.getOption(annotations as Context.Context<never>, OpenApi.Title as never)
    )
    const methods = calls
      .filter(({ group }) => group === identifier)
      .map(
        (call) => `${comment(call.summary, "    ")}    readonly ${call.name}: ${signatureOf(call, typeOf)}\n`
      )
    return `${comment(title as string | undefined, "  ")}  readonly ${identifier}: {\n${methods.join("")}  }\n`
  })
  return `/** The calls of the API, by resource. */\nexport interface ${client} {\n${members.join("")}}\n`
}

/** The type of a call's options. */
const optionsOf = ({ takesKey, takesTag, takesToken }: Call): string => {
  if (takesToken) return "TokenCallOptions"
  if (takesTag) return "ConditionalCallOptions"
  return takesKey ? "IdempotentCallOptions" : "CallOptions"
}

const signatureOf = (call: Call, typeOf: (ast: SchemaAST.AST) => string): string => {
  const isOptional = (ast: SchemaAST.AST) => propertiesOf(ast).every(({ type }) => SchemaAST.isOptional(type))
  const parameters = [
    ...call.params.map((param) => `${param}: string`),
    ...present(call.payload).map((ast) => `body${call.hasOptionalBody ? "?" : ""}: ${typeOf(ast)}`),
    ...present(call.query).map((ast) => `query${isOptional(ast) ? "?" : ""}: ${typeOf(ast)}`),
    `options${call.takesToken ? "" : "?"}: ${optionsOf(call)}`
  ]
  const types = [...new Set(call.values.map(typeOf))]
  return `(${parameters.join(", ")}) => Promise<${types.join(" | ")}>`
}

const codes = (): string => {
  const names = Object.keys(catalogue).toSorted()
  const lines = names.map((name) => `  | ${JSON.stringify(name)}\n`)
  return `/** The codes of this version; a later one may know more. */\nexport type KnownErrorCode =\n${lines.join("")}`
}

const operationsOf = (
  client: string,
  groups: ReadonlyArray<HttpApiGroup.Top>,
  calls: ReadonlyArray<Call>
): string => {
  const members = groups.map(({ identifier }) => {
    const lines = calls
      .filter(({ group }) => group === identifier)
      .map(({ method, name, params, path, payload, query, takesKey, takesToken }) => {
        const operation = [
          `method: "${method}"`,
          `path: "${path}"`,
          `params: ${params.length}`,
          `body: ${payload !== null}`,
          `query: ${query !== null}`,
          `key: ${takesKey}`,
          `token: ${takesToken}`
        ]
        return `    ${name}: { ${operation.join(", ")} }`
      })
    return `  ${identifier}: {\n${lines.join(",\n")}\n  }`
  })
  return `/** How each call is sent. */\nexport const operations: Operations<${client}> = {\n${members.join(",\n")}\n}\n`
}
