/**
 * Calls a service under test. Every response is checked for the properties that all responses share, and every request and
 * response against the published contract. So every suite checks both on every route it calls.
 *
 * @module
 */
import { inspect, isDeepStrictEqual } from "node:util"
import { contractPaths } from "../../adapters/http/schema/ContractApi.ts"
import type { OpenApiDocument } from "../../adapters/http/schema/openapi/OpenApiModel.ts"
import { type CheckExchange, makeContractCheck } from "./contract.ts"
import type { EntryPoint } from "./targets.ts"

/** One entry of `errors`. */
export interface ErrorEntry {
  readonly code: string
  readonly message: string
  readonly params: Readonly<Record<string, number>> | null
  /** Only on management routes: further data for programs. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** The envelope. */
export interface Envelope<Value> {
  readonly isSuccess: boolean
  readonly value: Value
  readonly status: number
  readonly errors: ReadonlyArray<ErrorEntry>
  readonly fieldErrors: Readonly<Record<string, ReadonlyArray<ErrorEntry>>> | null
}

/** The body of a response that rejects a request body's shape. */
export interface ShapeRefusal {
  readonly statusCode: number
  readonly message: string
  readonly errors: Readonly<Record<string, ReadonlyArray<string>>>
}

/** A response. */
export interface Answer<Value> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The envelope's value. Throws if the response is not a success. */
  readonly value: Value
  /** The codes of the envelope's errors, in order; empty if the shape is invalid. */
  readonly codes: ReadonlyArray<string>
  /** The fields of `fieldErrors`, or of an invalid shape's `errors`, sorted. */
  readonly fields: ReadonlyArray<string>
  readonly envelope: Envelope<Value> | null
  readonly refusal: ShapeRefusal | null
}

/** The content of a call. */
export interface Sent {
  /** The bearer token; none if left out. */
  readonly token?: string | undefined
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent unchanged, instead of `json`. */
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request and checks the response. */
export const call = async <Value = unknown>(
  target: Pick<EntryPoint, "fetch">,
  method: string,
  path: string,
  sent: Sent = {}
): Promise<Answer<Value>> => {
  const body = sent.body ?? (sent.json === undefined ? undefined : JSON.stringify(sent.json))
  const sentHeaders = {
    ...(sent.token === undefined ? {} : { authorization: `Bearer ${sent.token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...sent.headers
  }
  const check = await contractOf(target)
  const response = await target.fetch(path, {
    method,
    headers: sentHeaders,
    ...(body === undefined ? {} : { body })
  })
  return readAnswer<Value>(method, path, response, (status, headers, json) =>
    check({
      method,
      path,
      sentHeaders: new Headers(sentHeaders),
      sentBody: body ?? null,
      status,
      headers,
      json
    })
  )
}

const contracts = new WeakMap<Pick<EntryPoint, "fetch">, Promise<CheckExchange>>()

/** The contract that a service publishes. */
const contractOf = (target: Pick<EntryPoint, "fetch">): Promise<CheckExchange> => {
  const known = contracts.get(target)
  if (known !== undefined) return known
  const read = async () => {
    const response = await target.fetch(contractPaths.openApi)
    return makeContractCheck((await response.json()) as OpenApiDocument)
  }
  const contract = read()
  contracts.set(target, contract)
  return contract
}

/** A stream never ends, so its body is not read. */
const wholeBody = async (response: Response, contentType: string): Promise<string> => {
  if (!contentType.startsWith("text/event-stream")) return response.text()
  await response.body?.cancel()
  return ""
}

const readAnswer = async <Value>(
  method: string,
  path: string,
  response: Response,
  contractFaults: (status: number, headers: Headers, json: unknown) => ReadonlyArray<string>
): Promise<Answer<Value>> => {
  const { headers, status } = response
  const contentType = headers.get("content-type") ?? ""
  const text = await wholeBody(response, contentType)
  const hasJson = text !== "" && /^application\/(problem\+)?json\b/.test(contentType)
  const json: unknown = hasJson ? JSON.parse(text) : null
  const isRefusal = contentType.startsWith("application/problem+json")
  const envelope = hasJson && !isRefusal ? (json as Envelope<Value>) : null
  const refusal = isRefusal ? (json as ShapeRefusal) : null
  const faults = [
    ...fault(status < 500, "is a server error"),
    ...fault(/^[A-Za-z0-9._-]{1,128}$/.test(headers.get("x-request-id") ?? ""), "has no valid x-request-id"),
    ...fault(headers.get("x-content-type-options") === "nosniff", "may be sniffed as another type"),
    ...fault(headers.get("cache-control") === "no-store", "may be stored by caches"),
    ...fault(status < 400 || hasJson || method === "HEAD", "rejects without a reason"),
    ...(envelope === null ? [] : faultsOfEnvelope(envelope, status)),
    ...(refusal === null ? [] : faultsOfRefusal(refusal, status)),
    ...contractFaults(status, headers, json).map((one) => `breaks the contract: ${one}`)
  ]
  const about = `${method} ${path.slice(0, 200)} -> ${status} ${text.slice(0, 500)}`
  if (faults.length > 0) throw new Error([about, ...faults].join("\n  "))
  return {
    status,
    headers,
    text,
    get value() {
      if (envelope?.isSuccess !== true) throw new Error(`No value: ${about}`)
      return envelope.value
    },
    codes: envelope?.errors.map((entry) => entry.code) ?? [],
    fields: Object.keys(envelope?.fieldErrors ?? refusal?.errors ?? {}).toSorted(),
    envelope,
    refusal
  }
}

const fault = (holds: boolean, text: string): ReadonlyArray<string> => (holds ? [] : [text])

const hasKeys = (value: object, ...keys: ReadonlyArray<string>): boolean =>
  isDeepStrictEqual(Object.keys(value).toSorted(), keys.toSorted())

const isEntry = (entry: ErrorEntry): boolean =>
  (hasKeys(entry, "code", "message", "params") || hasKeys(entry, "code", "message", "params", "details")) &&
  /^[a-z]+\.[a-z_]+$/.test(entry.code) &&
  /\S/.test(entry.message) &&
  Object.values(entry.params ?? {}).every((value) => typeof value === "number")

const faultsOfEnvelope = (envelope: Envelope<unknown>, status: number): ReadonlyArray<string> => {
  const { errors, fieldErrors, isSuccess, value } = envelope
  const grouped = Object.values(fieldErrors ?? {}).flat()
  const isListed = (entry: ErrorEntry) => errors.some((error) => isDeepStrictEqual(error, entry))
  return [
    ...fault(
      hasKeys(envelope, "isSuccess", "value", "status", "errors", "fieldErrors"),
      "lacks the envelope's fields"
    ),
    ...fault(envelope.status === status, "has another status in its envelope"),
    ...fault(isSuccess === status < 400, "has an isSuccess that contradicts its status"),
    ...fault(isSuccess ? errors.length === 0 : errors.length > 0, "has errors where it must not, or none"),
    ...fault(
      isSuccess ? fieldErrors === null : value === null,
      "has fieldErrors or a value where it must not"
    ),
    ...fault(errors.every(isEntry), "has an invalid error entry"),
    ...fault(fieldErrors === null || grouped.length > 0, "has empty fieldErrors"),
    ...fault(grouped.every(isListed), "has a field error that errors does not list")
  ]
}

const faultsOfRefusal = (refusal: ShapeRefusal, status: number): ReadonlyArray<string> => {
  const lists = Object.values(refusal.errors)
  const isList = (messages: ReadonlyArray<string>) =>
    messages.length > 0 && messages.every((message) => typeof message === "string")
  return [
    ...fault(status === 400 && refusal.statusCode === 400, "rejects a shape with another status than 400"),
    ...fault(hasKeys(refusal, "statusCode", "message", "errors"), "lacks the fields of a rejected shape"),
    ...fault(/\S/.test(refusal.message), "rejects a shape without a message"),
    ...fault(lists.length > 0 && lists.every(isList), "has field errors without messages")
  ]
}

/** The time limit for background work on a busy machine, in milliseconds. */
const waitTimeout = 40_000

/**
 * The shortest and longest pause between attempts, in milliseconds. A pause is a tenth of the time waited so far, so that waiting
 * takes little CPU time.
 */
const pauses = { shortest: 15, longest: 150 }

/**
 * Repeats a call until its result is satisfactory, to wait for background work. Fails with the last result after the time limit.
 */
export const eventually = async <A>(ask: () => Promise<A>, satisfied: (answer: A) => boolean): Promise<A> => {
  const began = performance.now()
  let answer = await ask()
  while (!satisfied(answer)) {
    const waited = performance.now() - began
    if (waited > waitTimeout)
      throw new Error(`No result satisfied in ${waitTimeout} ms, the last: ${inspect(answer)}`)
    const pause = Math.min(pauses.longest, Math.max(pauses.shortest, waited / 10))
    await new Promise((resolve) => setTimeout(resolve, pause))
    answer = await ask()
  }
  return answer
}
