/**
 * Tests that the typed client retries, gives up and reports errors as documented.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  ApiError,
  type ClientOptions,
  ConnectionError,
  createClient,
  createManagementClient
} from "../../client/index.ts"
import { blockWith } from "../docs/blocks.ts"

const email = { to: "ada@example.org", subject: "Hello", text: "It works." }
const accepted = { id: "1", status: "Queued", reason: null }
const envelope = (value: unknown, status = 200) =>
  Response.json({ isSuccess: true, value, status, errors: [], fieldErrors: null }, { status })
const errorReply = (status: number, code: string, headers: Readonly<Record<string, string>> = {}) =>
  Response.json(
    {
      isSuccess: false,
      value: null,
      status,
      errors: [{ code, message: `Message of ${code}`, params: null }],
      fieldErrors: null
    },
    { status, headers: { "x-request-id": "r-1", ...headers } }
  )

type Reply = (request: Request) => Response | Promise<Response>

/** A client of a service that returns these responses in order, with the requests that it received. */
const scripted = (replies: ReadonlyArray<Reply>, options: Partial<ClientOptions> = {}) => {
  const requests: Array<Request> = []
  const svc = createClient({
    baseUrl: "https://mail.example.com/base//",
    apiKey: "svc_test_key",
    fetch: async (request) => {
      requests.push(new Request(request))
      const reply = replies[requests.length - 1]
      if (reply === undefined) throw new Error("One request too many.")
      return reply(request)
    },
    ...options
  })
  return { svc, requests }
}

const never: Reply = (request) =>
  new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)))
const fail: Reply = () => Promise.reject(new TypeError("fetch failed"))
const caught = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "succeeded",
    (error: unknown) => error
  )

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe("a request", () => {
  it("carries the key, the body and the query, and escapes path parameters", async () => {
    const { requests, svc } = scripted([
      () => envelope({ id: "x" }),
      () => envelope({ items: [] }),
      () => envelope(accepted, 201)
    ])
    await svc.contacts.erase("ext:a/b?c#d e")
    await svc.contacts.list({ page: 2, segment: "a&b" })
    await svc.sending.submit(email)
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "DELETE https://mail.example.com/base/api/v1/contacts/ext%3Aa%2Fb%3Fc%23d%20e",
      "GET https://mail.example.com/base/api/v1/contacts?page=2&segment=a%26b",
      "POST https://mail.example.com/base/api/v1/sending/emails"
    ])
    expect(requests.map(({ headers }) => headers.get("authorization"))).toEqual(
      requests.map(() => "Bearer svc_test_key")
    )
    expect(requests.map(({ headers }) => headers.get("content-type"))).toEqual([
      null,
      null,
      "application/json"
    ])
    expect(await requests[2]!.json()).toEqual(email)
    // Another host would receive the key.
    expect(requests.map(({ redirect }) => redirect)).toEqual(requests.map(() => "manual"))
  })

  it("has one idempotency key: the call's, or the body's, or a new one", async () => {
    const { requests, svc } = scripted(Array.from({ length: 4 }, () => () => envelope(accepted)))
    await svc.sending.submit(email, { idempotencyKey: "order-1" })
    await svc.sending.submit({ ...email, idempotencyKey: "order-2" })
    await svc.sending.submit(email)
    await svc.sending.submit({ ...email, idempotencyKey: null })
    const [own, ofBody, ...made] = requests.map(({ headers }) => headers.get("idempotency-key"))
    expect([own, ofBody]).toEqual(["order-1", null])
    expect(new Set(made).size).toBe(2)
    for (const key of made) expect(key).toMatch(/^[\x21-\x7e]{16,150}$/)
  })

  it("of a flow's trigger carries the flow's token, and never the key", async () => {
    const { requests, svc } = scripted([() => envelope({ contactId: "x", duplicate: false })])
    const call = { id: "call-1", email: "ada@example.org" }
    expect(await svc.flowTrigger.trigger("flow-1", call, { token: "svc_flow_t" })).toMatchObject({
      duplicate: false
    })
    expect(requests.map(({ headers, url }) => [url, headers.get("authorization")])).toEqual([
      ["https://mail.example.com/base/flows/flow-1/trigger", "Bearer svc_flow_t"]
    ])
    for (const token of ["", "a b", undefined as unknown as string]) {
      expect(await caught(svc.flowTrigger.trigger("flow-1", call, { token }))).toBeInstanceOf(TypeError)
    }
    expect(requests).toHaveLength(1)
  })

  it.each(["", ".", ".."])("rejects the reference %j, which would change the path", async (reference) => {
    const { requests, svc } = scripted([])
    expect(await caught(svc.contacts.erase(reference))).toBeInstanceOf(TypeError)
    expect(requests).toEqual([])
  })

  it.each([
    { baseUrl: "mail.example.com" },
    { baseUrl: "ftp://mail.example.com" },
    { apiKey: "" },
    { apiKey: "svc_secret\n" }
  ])("is not made with the options %j", (options) => {
    expect(() => scripted([], options)).toThrow(TypeError)
    expect(() => scripted([], options)).not.toThrow(/svc_secret/)
  })
})

describe("another attempt", () => {
  it.each([429, 503])(
    "follows %i after as long as it asks for, with the same idempotency key",
    async (status) => {
      const { requests, svc } = scripted([
        () => errorReply(status, "common.any", { "retry-after": "7" }),
        () => envelope(accepted, 201)
      ])
      const response = svc.sending.submit(email)
      await vi.advanceTimersByTimeAsync(6_900)
      expect(requests).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(200)
      expect(requests).toHaveLength(2)
      expect(await response).toEqual(accepted)
      const keys = requests.map(({ headers }) => headers.get("idempotency-key"))
      expect(keys[0]).toMatch(/^[\x21-\x7e]{16,150}$/)
      expect(keys[1]).toBe(keys[0])
      expect(await requests[1]!.json()).toEqual(email)
    }
  )

  it("follows at the date of Retry-After", async () => {
    vi.setSystemTime(Date.UTC(2030, 0, 1))
    const { requests, svc } = scripted([
      () => errorReply(503, "common.unavailable", { "retry-after": "Tue, 01 Jan 2030 00:00:20 GMT" }),
      () => envelope([])
    ])
    const response = svc.topics.list()
    await vi.advanceTimersByTimeAsync(19_000)
    expect(requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1_500)
    expect(await response).toEqual([])
  })

  it("follows a connection that failed, later each time, and no more often than allowed", async () => {
    const { requests, svc } = scripted([fail, fail, fail, fail], { maxRetries: 3 })
    const response = caught(svc.topics.list())
    const seen: Array<number> = []
    for (const millis of [0, 500, 1_000, 2_000]) {
      await vi.advanceTimersByTimeAsync(millis)
      seen.push(requests.length)
    }
    expect(seen).toEqual([1, 2, 3, 4])
    const error = await response
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ cause: { message: "fetch failed" } })
  })

  it("does not follow an error that would repeat", async () => {
    for (const status of [400, 401, 403, 404, 409, 500, 502]) {
      const { requests, svc } = scripted([() => errorReply(status, "common.any")])
      expect(await caught(svc.topics.list())).toMatchObject({ status, code: "common.any", requestId: "r-1" })
      expect(requests).toHaveLength(1)
    }
  })

  it("does not follow where none is allowed, or the wait is too long", async () => {
    const busy: Reply = () => errorReply(429, "common.rate_limited", { "retry-after": "61" })
    for (const options of [{ maxRetries: 0 }, {}, { maxRetryDelayMillis: 60_999 }]) {
      const { requests, svc } = scripted([busy], options)
      expect(await caught(svc.topics.list())).toMatchObject({ status: 429, retryAfterSeconds: 61 })
      expect(requests).toHaveLength(1)
    }
  })
})

describe("a call ends", () => {
  it("by the caller's signal: before, while waiting for a response, and between attempts", async () => {
    const before = scripted([])
    const reason = new Error("Enough.")
    expect(await caught(before.svc.topics.list({ signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(before.requests).toEqual([])

    for (const reply of [never, () => errorReply(503, "common.unavailable", { "retry-after": "30" })]) {
      const { requests, svc } = scripted([reply])
      const controller = new AbortController()
      const response = caught(svc.topics.list({ signal: controller.signal }))
      await vi.advanceTimersByTimeAsync(1_000)
      controller.abort(reason)
      expect(await response).toBe(reason)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(requests).toHaveLength(1)
    }
  })

  it("when an attempt takes too long", async () => {
    vi.useRealTimers()
    const { requests, svc } = scripted([never], { timeoutMillis: 20, maxRetries: 0 })
    expect(await caught(svc.topics.list())).toMatchObject({
      name: "ConnectionError",
      cause: { name: "TimeoutError" }
    })
    expect(requests).toHaveLength(1)
  })
})

describe("a response", () => {
  it("that is not from the service is an error by its status", async () => {
    const strangers = [
      () => new Response("<h1>Bad Gateway</h1>", { status: 502 }),
      () => new Response(null, { status: 301, headers: { location: "https://elsewhere.example" } }),
      () => new Response("null"),
      () => Response.json([{ isSuccess: true }]),
      () => Response.json({ errors: [17, null, {}, { code: 1 }], fieldErrors: [] }, { status: 400 })
    ]
    for (const stranger of strangers) {
      const error = await caught(scripted([stranger]).svc.topics.list())
      expect(error).toBeInstanceOf(ApiError)
      expect(error).toMatchObject({ status: stranger().status, code: null, errors: [], requestId: null })
    }
  })

  it("that is cut off is a failed connection", async () => {
    const cut: Reply = () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            controller.enqueue(new TextEncoder().encode('{"isSuccess":true,'))
            controller.error(new TypeError("terminated"))
          }
        })
      )
    const { svc } = scripted([cut], { maxRetries: 0 })
    expect(await caught(svc.topics.list())).toBeInstanceOf(ConnectionError)
  })
})

describe("a refusal", () => {
  const entry = (message: string) => ({ code: "validation.required", message, params: null })
  const rule = entry("The value must be given.")
  const shapes = {
    envelope: () =>
      Response.json(
        {
          isSuccess: false,
          value: null,
          status: 400,
          errors: [rule, entry("Give one of both."), rule],
          fieldErrors: { subject: [rule], "consent.proof.text": [rule] }
        },
        { status: 400 }
      ),
    shape: () =>
      Response.json(
        {
          statusCode: 400,
          message: "Wrong.",
          errors: { to: ["Missing key"], "tags.a": ["Expected string"] }
        },
        { status: 400, headers: { "content-type": "application/problem+json" } }
      ),
    whole: () =>
      Response.json(
        { statusCode: 408, message: "The request did not arrive in time.", errors: {} },
        { status: 408, headers: { "content-type": "application/problem+json" } }
      )
  }

  it.each([
    [
      "envelope",
      "validation.required",
      "subject: The value must be given. Give one of both. consent.proof.text: The value must be given."
    ],
    ["shape", "validation.type", "to: Missing key. tags.a: Expected string."],
    ["whole", "validation.type", "The request did not arrive in time."]
  ] as const)("of the %s has a code, and names its fields in the message", async (shape, code, message) => {
    expect(await caught(scripted([shapes[shape]]).svc.topics.list())).toMatchObject({ code, message })
  })

  it("is read alike by the code that the page shows", async () => {
    const code = blockWith("using-the-api", "js", "async function problemsOf")
    const problemsOf = new Function(`return ${code}`)() as (response: Response) => Promise<unknown>
    for (const reply of Object.values(shapes)) {
      const { errors, fieldErrors } = (await caught(scripted([reply]).svc.topics.list())) as ApiError
      expect(await problemsOf(reply())).toEqual({ errors, fieldErrors })
    }
  })

  it("of many problems has a short message", async () => {
    const errors = Array.from({ length: 20 }, (_, index) => entry(`Problem ${index}.`))
    const reply = () =>
      Response.json({ isSuccess: false, status: 400, errors, fieldErrors: null }, { status: 400 })
    const error = (await caught(scripted([reply]).svc.topics.list())) as ApiError
    expect(error.message).toBe("Problem 0. Problem 1. Problem 2. Problem 3. Problem 4. (15 more)")
    expect(error.errors).toHaveLength(20)
  })
})

it("calls the management API beside that of an account", async () => {
  const tokens: Array<string | null> = []
  const fetch = async ({ headers }: Request) => {
    tokens.push(headers.get("authorization"))
    return envelope({ items: [] })
  }
  const baseUrl = "https://mail.example.com"
  const svc = createClient({ baseUrl, apiKey: "key", managementToken: "token", fetch })
  await svc.management.companies.list()
  await svc.topics.list()
  expect(tokens).toEqual(["Bearer token", "Bearer key"])
  expect(createClient({ baseUrl, apiKey: "key" })).not.toHaveProperty("management")
})

it("calls the management API with the management token", async () => {
  const requests: Array<Request> = []
  const management = createManagementClient({
    baseUrl: "https://mail.example.com",
    token: "svc_admin_token",
    fetch: async (request) => {
      requests.push(request)
      return envelope({ items: [], page: 2, pageSize: 50, totalCount: 0 })
    }
  })
  expect(await management.companies.list({ page: 2 })).toMatchObject({ items: [], page: 2 })
  expect(requests.map(({ headers, url }) => [url, headers.get("authorization")])).toEqual([
    ["https://mail.example.com/manage/v1/companies?page=2", "Bearer svc_admin_token"]
  ])
})
