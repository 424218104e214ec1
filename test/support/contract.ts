/**
 * Checks requests and responses against the published contract.
 *
 * @module
 */
import { Ajv, type ValidateFunction } from "ajv"
import {
  type Header,
  type Method,
  methods,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type PathItem,
  type Reference,
  type SchemaObject
} from "../../adapters/http/schema/openapi/OpenApiModel.ts"
import { dateTimePattern } from "./shapes.ts"

/** A request and its response. */
export interface ContractExchange {
  readonly method: string
  /** Includes the query. */
  readonly path: string
  readonly sentHeaders: Headers
  /** The raw body of the request; null for none. */
  readonly sentBody: string | Uint8Array | null
  readonly status: number
  readonly headers: Headers
  /** The response's body, parsed; null where it is not JSON. */
  readonly json: unknown
}

/** Returns the violations of the contract by an exchange; empty when there are none. */
export type CheckExchange = (exchange: ContractExchange) => ReadonlyArray<string>

interface Found {
  readonly item: PathItem
  readonly parameters: Readonly<Record<string, string>>
}

/** Headers of the transport, which the contract does not document. */
const transportHeaders = new Set([
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding"
])

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Closes a schema for responses: a field that the document does not have is a violation. */
const closed = (schema: SchemaObject): SchemaObject => {
  const { additionalProperties, anyOf, items, properties } = schema
  return {
    ...schema,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(closed) }),
    ...(items === undefined ? {} : { items: closed(items) }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: closed(additionalProperties) }
      : {}),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [name, closed(property)])
          ),
          additionalProperties: false
        })
  }
}

/** Compiles a document's schemas when first needed; those of responses are closed. */
export const makeValidators = (document: OpenApiDocument, isClosed: boolean) => {
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    coerceTypes: false,
    formats: {
      "date-time": isClosed ? dateTimePattern : /^\d{4}-\d\d-\d\dT/,
      int32: { type: "number", validate: (value: number) => value >= -(2 ** 31) && value < 2 ** 31 },
      uri: /^https?:/,
      uuid
    }
  })
  const close = isClosed ? closed : (schema: SchemaObject) => schema
  for (const [name, schema] of Object.entries(document.components.schemas))
    ajv.addSchema(close(schema), `#/components/schemas/${name}`)
  const compiled = new Map<SchemaObject, ValidateFunction>()
  return (schema: SchemaObject, value: unknown): ReadonlyArray<string> => {
    let validate = compiled.get(schema)
    if (validate === undefined) compiled.set(schema, (validate = ajv.compile(close(schema))))
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath, message, JSON.stringify(params)].join(" ")
    )
  }
}

/** Finds the operations of a path. A literal segment takes precedence over a parameter. */
const makeFinder = ({ paths }: OpenApiDocument) => {
  const known = Object.entries(paths)
    .toSorted(([one], [other]) => one.split("{").length - other.split("{").length)
    .map(([path, item]) => ({
      item,
      pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`)
    }))
  return (path: string, method: string): Found | null => {
    const matching = known.filter(({ pattern }) => pattern.test(path))
    const one = matching.find(({ item }) => item[method as Method] !== undefined) ?? matching[0]
    return one === undefined ? null : { item: one.item, parameters: { ...one.pattern.exec(path)?.groups } }
  }
}

/** Parses a parameter by its schema. */
const valueOf = (schema: SchemaObject, text: string): unknown =>
  schema.type === "integer" && /^[+-]?\d+$/.test(text) ? Number(text) : text

/** Strings are trimmed before they are validated (docs/contributing/decisions.md 2). */
const trimmed = (value: unknown): unknown => {
  if (typeof value === "string") return value.trim()
  if (Array.isArray(value)) return value.map(trimmed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, trimmed(entry)]))
}

/** The person of an event is validated in the background (docs/contributing/public-api.md "Events"). */
const judgedLater = /^\/events\/\d+\/contact\//

const bodyOf = (sent: string | Uint8Array): unknown =>
  JSON.parse(typeof sent === "string" ? sent : new TextDecoder().decode(sent))

interface BatchValue {
  readonly results?: ReadonlyArray<{
    readonly index: number
    readonly errors: ReadonlyArray<{ readonly code: string }> | null
  }>
  readonly rejected?: ReadonlyArray<{
    readonly index: number
    readonly reasons: ReadonlyArray<{ readonly code: string }>
  }>
}

const batchOf = (answer: unknown): BatchValue => (answer as { value?: BatchValue | null }).value ?? {}

/** The codes of a batch's entries. */
const entryCodes = (answer: unknown): ReadonlyArray<string> => {
  const { rejected = [], results = [] } = batchOf(answer)
  return [...rejected.flatMap((one) => one.reasons), ...results.flatMap((one) => one.errors ?? [])].map(
    ({ code }) => code
  )
}

/** A batch without its rejected elements; null if all were rejected. */
const withoutRefused = (body: unknown, answer: unknown): unknown => {
  const { rejected = [], results = [] } = batchOf(answer)
  const refused = new Set(
    [...rejected, ...results.filter((one) => one.errors !== null)].map((one) => one.index)
  )
  if (refused.size === 0) return body
  const left = Object.entries(body as Readonly<Record<string, unknown>>).map(([name, entries]) => ({
    name,
    entries: Array.isArray(entries) ? entries.filter((_entry, index) => !refused.has(index)) : entries
  }))
  if (left.every(({ entries }) => Array.isArray(entries) && entries.length === 0)) return null
  return Object.fromEntries(left.map(({ entries, name }) => [name, entries]))
}

/** Whether a response says that a call of a flow's trigger was a repeat. */
const isDuplicate = (json: unknown): boolean =>
  (json as { readonly value?: { readonly duplicate?: unknown } } | null)?.value?.duplicate === true

/**
 * Makes the check for a document's operations. Paths that begin with a segment not in the document are not part of the contract.
 */
export const makeContractCheck = (document: OpenApiDocument): CheckExchange => {
  const find = makeFinder(document)
  const ofRequest = makeValidators(document, false)
  const ofAnswer = makeValidators(document, true)
  const roots = [...new Set(Object.keys(document.paths).map((path) => `/${path.split("/")[1]}/`))]

  const headerFaults = (
    documented: Readonly<Record<string, Header | Reference>>,
    { headers }: ContractExchange
  ): ReadonlyArray<string> => {
    const known = Object.entries(documented).map(([name, header]): [string, Header | undefined] => [
      name.toLowerCase(),
      "$ref" in header ? document.components.headers[header.$ref.split("/").at(-1)!] : header
    ])
    const names = new Set(known.map(([name]) => name))
    return [
      ...[...headers.keys()]
        .filter((name) => !names.has(name) && !transportHeaders.has(name))
        .map((name) => `the header ${name} is not documented`),
      ...known.flatMap(([name, header]) => {
        const value = headers.get(name)
        if (header === undefined) return [`the header ${name} has no component`]
        if (value === null) return header.required ? [`the header ${name} is missing`] : []
        return ofAnswer(header.schema, valueOf(header.schema, value)).map(
          (fault) => `header ${name}: ${fault}`
        )
      })
    ]
  }

  const answerFaults = (operation: Operation, exchange: ContractExchange): ReadonlyArray<string> => {
    const { headers, json, method, status } = exchange
    const response = operation.responses[String(status)]
    if (response === undefined) return [`the status ${status} is not documented`]
    const faults = headerFaults(response.headers ?? {}, exchange)
    const mediaType = (headers.get("content-type") ?? "").split(";")[0]!
    const content = response.content?.[mediaType]
    if (content === undefined)
      return [...faults, `the media type ${mediaType} is not documented for ${status}`]
    if (method === "HEAD") return faults
    const codes = ((json as { errors?: unknown }).errors ?? []) as ReadonlyArray<{ readonly code: string }>
    const unknown = Array.isArray(codes)
      ? codes.filter(({ code }) => !(operation["x-error-codes"] ?? []).includes(code))
      : []
    const ofEntries = entryCodes(json).filter(
      (code) => !(operation["x-entry-error-codes"] ?? []).includes(code)
    )
    return [
      ...faults,
      ...ofAnswer(content.schema, json).map((fault) => `the response's body: ${fault}`),
      ...unknown.map(({ code }) => `the code ${code} is not documented`),
      ...ofEntries.map((code) => `the code ${code} of an entry is not documented`)
    ]
  }

  const parameterFaults = (
    parameter: Parameter,
    found: Found,
    query: URLSearchParams,
    sentHeaders: Headers
  ): ReadonlyArray<string> => {
    const { name, required, schema } = parameter
    const text = {
      path: () => found.parameters[name] ?? null,
      query: () => query.getAll(name).at(-1) || null,
      header: () => sentHeaders.get(name)
    }[parameter.in]()
    if (text === null) return required ? [`the parameter ${name} is missing and was not rejected`] : []
    const value = parameter.in === "path" ? decodeURIComponent(text) : text
    return ofRequest(schema, valueOf(schema, value.trim())).map((fault) => `parameter ${name}: ${fault}`)
  }

  /** A request that succeeded must be valid according to the contract. */
  const requestFaults = (
    operation: Operation,
    found: Found,
    query: URLSearchParams,
    { json, sentBody, sentHeaders, status }: ContractExchange
  ): ReadonlyArray<string> => {
    const { parameters = [], requestBody } = operation
    const faults = parameters.flatMap((parameter) => parameterFaults(parameter, found, query, sentHeaders))
    // For a known idempotency key or call id, the first response is returned whatever the body contains.
    const isRepeat =
      (status === 200 && parameters.some(({ name }) => name === "Idempotency-Key")) || isDuplicate(json)
    if (requestBody === undefined || isRepeat) return faults
    if (sentBody === null) return [...faults, "the body is missing and was not rejected"]
    const { schema } = requestBody.content["application/json"]!
    const body = trimmed(withoutRefused(bodyOf(sentBody), json))
    if (body === null) return faults
    const wrong = ofRequest(schema, body).filter((fault) => !judgedLater.test(fault))
    return [...faults, ...wrong.map((fault) => `the request's body: ${fault}`)]
  }

  return (exchange) => {
    const { method, status } = exchange
    const [path = "", search = ""] = exchange.path.split("?", 2)
    if (!roots.some((root) => path.startsWith(root))) return []
    const name = method === "HEAD" ? "get" : method.toLowerCase()
    const found = find(path, name)
    if (found === null) return status === 404 ? [] : [`no path is documented, and the status is ${status}`]
    const operation = methods.some((known) => known === name) ? found.item[name as Method] : undefined
    if (operation === undefined)
      return status === 405 ? [] : [`the method is not documented, and the status is ${status}`]
    const faults = answerFaults(operation, exchange)
    if (status >= 300 || method === "HEAD") return faults
    return [...faults, ...requestFaults(operation, found, new URLSearchParams(search), exchange)]
  }
}

/** Makes the check for webhook bodies. It returns the violations; none for an event that is not part of the contract. */
export const makeWebhookCheck = (document: OpenApiDocument) => {
  const validate = makeValidators(document, true)
  return (body: { readonly type: string }): ReadonlyArray<string> => {
    const media = document["x-webhooks"][body.type]?.post?.requestBody?.content["application/json"]
    return media === undefined ? [] : validate(media.schema, body)
  }
}
