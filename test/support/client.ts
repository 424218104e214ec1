/**
 * Calls to a service under test. Every answer is held against what all answers have in common, and every exchange
 * against the published contract, so that each suite checks them on every route it touches.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util"
import { contractPaths } from "../../adapters/http/schema/ContractApi.ts"
import type { OpenApiDocument } from "../../adapters/http/schema/openapi/OpenApiModel.ts"
import { type CheckExchange, makeContractCheck } from "./contract.ts"
import type { EntryPoint } from "./targets.ts"

/** One entry of `errors`. */
export interface ErrorEntry {
  readonly code: string
  readonly message: string
  readonly params: Readonly<Record<string, number>> | null
}

/** The envelope. */
export interface Envelope<Value> {
  readonly isSuccess: boolean
  readonly value: Value
  readonly status: number
  readonly errors: ReadonlyArray<ErrorEntry>
  readonly fieldErrors: Readonly<Record<string, ReadonlyArray<ErrorEntry>>> | null
}

/** The body of a refusal of a body's shape. */
export interface ShapeRefusal {
  readonly statusCode: number
  readonly message: string
  readonly errors: Readonly<Record<string, ReadonlyArray<string>>>
}

/** An answer. */
export interface Answer<Value> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The envelope's value; fails the test when the answer has no envelope. */
  readonly value: Value
  /** The codes of the envelope's errors, in order; of a refused shape none. */
  readonly codes: ReadonlyArray<string>
  /** The fields of `fieldErrors`, or of a refused shape's `errors`, sorted. */
  readonly fields: ReadonlyArray<string>
  readonly envelope: Envelope<Value> | null
  readonly refusal: ShapeRefusal | null
}

/** What a call sends. */
export interface Sent {
  /** The bearer token; none when left out. */
  readonly token?: string | undefined
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is, in place of `json`. */
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request and checks the answer's form. */
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

const readAnswer = async <Value>(
  method: string,
  path: string,
  response: Response,
  contractFaults: (status: number, headers: Headers, json: unknown) => ReadonlyArray<string>
): Promise<Answer<Value>> => {
  const text = await response.text()
  const { headers, status } = response
  const contentType = headers.get("content-type") ?? ""
  const hasJson = text !== "" && /^application\/(problem\+)?json\b/.test(contentType)
  const json: unknown = hasJson ? JSON.parse(text) : null
  const isRefusal = contentType.startsWith("application/problem+json")
  const envelope = hasJson && !isRefusal ? (json as Envelope<Value>) : null
  const refusal = isRefusal ? (json as ShapeRefusal) : null
  const faults = [
    ...fault(status < 500, "is a failure of the service"),
    ...fault(/^[A-Za-z0-9._-]{1,128}$/.test(headers.get("x-request-id") ?? ""), "has no sane x-request-id"),
    ...fault(headers.get("x-content-type-options") === "nosniff", "may be taken for another type"),
    ...fault(headers.get("cache-control") === "no-store", "may be stored on its way"),
    ...fault(status < 400 || hasJson || method === "HEAD", "refuses without a reason"),
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
  hasKeys(entry, "code", "message", "params") &&
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
      "has not the envelope's fields"
    ),
    ...fault(envelope.status === status, "repeats another status"),
    ...fault(isSuccess === status < 400, "is a success by one measure only"),
    ...fault(isSuccess ? errors.length === 0 : errors.length > 0, "has errors where it must not, or none"),
    ...fault(
      isSuccess ? fieldErrors === null : value === null,
      "has fieldErrors or a value where it must not"
    ),
    ...fault(errors.every(isEntry), "has an error that is no error entry"),
    ...fault(fieldErrors === null || grouped.length > 0, "has fieldErrors of nothing"),
    ...fault(grouped.every(isListed), "has a field error that errors does not list")
  ]
}

const faultsOfRefusal = (refusal: ShapeRefusal, status: number): ReadonlyArray<string> => {
  const lists = Object.values(refusal.errors)
  const isList = (messages: ReadonlyArray<string>) =>
    messages.length > 0 && messages.every((message) => typeof message === "string")
  return [
    ...fault(status === 400 && refusal.statusCode === 400, "refuses a shape with another status than 400"),
    ...fault(hasKeys(refusal, "statusCode", "message", "errors"), "has not the fields of a refused shape"),
    ...fault(/\S/.test(refusal.message), "refuses a shape without a message"),
    ...fault(lists.length > 0 && lists.every(isList), "has field errors without messages")
  ]
}

/** How long what happens in the background may take on a busy machine, milliseconds. */
const patience = 40_000

/** Asks until the answer satisfies, for what happens in the background; the last answer, satisfied or not. */
export const eventually = async <A>(ask: () => Promise<A>, satisfied: (answer: A) => boolean): Promise<A> => {
  const until = Date.now() + patience
  let answer = await ask()
  while (!satisfied(answer) && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 15))
    answer = await ask()
  }
  return answer
}
