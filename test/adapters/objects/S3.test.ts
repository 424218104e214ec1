/**
 * Tests objects in S3: independently verified signatures, and servers that fail.
 *
 * @module
 */
import { afterAll, beforeEach, describe, expect, it, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted } from "effect"
import { vi } from "vitest"
import * as S3 from "../../../adapters/objects/S3.ts"
import { keyOf } from "../../../adapters/objects/ObjectKeys.ts"
import { ObjectStorage } from "../../../core/ports/ObjectStorage.ts"
import { describeDefect } from "../../../core/shared/Defect.ts"
import { newId, times } from "../../contract/fixtures.ts"
import { objectStorageContract } from "../../contract/index.ts"
import { draftObject } from "../../contract/ObjectStorage.ts"
import { type S3Failure, type S3Identity, signatureProblem, startS3Server } from "../../support/s3Server.ts"

const identity: S3Identity = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "token/with+signs==",
  region: "eu-central-1"
}
const server = await startS3Server(identity)
afterAll(() => server.stop())
beforeEach(() => server.fail(null))

const options = (more: Partial<S3.S3Options> = {}): S3.S3Options => ({
  bucket: server.bucket,
  prefix: "svc/mail",
  region: identity.region,
  endpoint: server.endpoint,
  style: "Path",
  accessKeyId: identity.accessKeyId,
  secretAccessKey: Redacted.make(identity.secretAccessKey),
  sessionToken: Redacted.make(identity.sessionToken!),
  ...more
})

const using = <A, E>(
  given: S3.S3Options,
  use: (storage: ObjectStorage["Service"]) => Effect.Effect<A, E>
): Promise<Exit.Exit<A, E>> =>
  Effect.runPromiseExit(Effect.provide(Effect.flatMap(ObjectStorage, use), S3.layer(given)))

layer(S3.layer(options()), { excludeTestServices: true })("S3", objectStorageContract)
layer(S3.layer(options({ prefix: "" })), { excludeTestServices: true })(
  "S3 without a prefix",
  objectStorageContract
)

describe("a bucket", () => {
  it("holds objects under the prefix and the account", async () => {
    const { bytes, name } = draftObject(newId())
    expect(Exit.isSuccess(await using(options(), ({ put }) => put([{ bytes, name }])))).toBe(true)
    expect(server.objects.has(`svc/mail/${keyOf(name)}`)).toBe(true)
  })

  it("is in the host name where the style says so, with a signature for that host", async () => {
    const sent: Array<Request> = []
    const fetched = vi.spyOn(globalThis, "fetch").mockImplementation((request) => {
      sent.push(request as Request)
      return Promise.resolve(new Response("<ListBucketResult></ListBucketResult>", { status: 200 }))
    })
    const object = draftObject(newId())
    const host = options({ style: "Host", endpoint: null, prefix: "" })
    await using(host, ({ list, put }) => Effect.andThen(put([object]), list(object.name.accountId, null, 10)))
    fetched.mockRestore()
    expect(sent.map(({ url }) => new URL(url).host)).toEqual(
      times(2, () => "content.s3.eu-central-1.amazonaws.com")
    )
    for (const { headers, method, url } of sent) {
      expect(signatureProblem({ method, url: new URL(url), headers }, identity, Date.now())).toBeNull()
    }
  })

  it.each<S3Failure>(["500", "503", "reset"])("is tried again after %s", async (failure) => {
    const object = draftObject(newId())
    server.fail(failure, 2)
    expect(Exit.isSuccess(await using(options(), ({ put }) => put([object])))).toBe(true)
    server.fail(failure, 1)
    const read = await using(options(), ({ get }) => get([object.name]))
    expect(Exit.isSuccess(read) && Buffer.from(read.value[0]!)).toEqual(Buffer.from(object.bytes))
  })

  it.each<S3Failure>(["500", "reset", "silent", "403"])(
    "is unavailable while it answers %s",
    async (failure) => {
      const object = draftObject(newId())
      server.fail(failure)
      const exit = await using(options({ timeout: 50 }), ({ put }) => put([object]))
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ _tag: "Unavailable" })
    }
  )

  it("takes what is there for gone neither in another bucket nor behind a server that knows nothing", async () => {
    const object = draftObject(newId())
    await using(options(), ({ put }) => put([object]))
    const elsewhere = options({ bucket: "elsewhere" })
    const { accountId } = object.name
    for (const [given, failure] of [
      [elsewhere, null],
      [options(), "404"]
    ] as const) {
      server.fail(failure)
      const failed = [
        Exit.isFailure(await using(given, ({ get }) => get([object.name]))),
        Exit.isFailure(await using(given, ({ remove }) => remove([object.name]))),
        Exit.isFailure(await using(given, ({ list }) => list(accountId, null, 10))),
        Exit.isFailure(await using(given, ({ put }) => put([object])))
      ]
      expect(failed).toEqual([true, true, true, true])
    }
    server.fail("elsewhere")
    expect(Exit.isFailure(await using(options(), ({ list }) => list(accountId, null, 10)))).toBe(true)
    server.fail(null)
    const left = await using(options(), ({ list }) => list(accountId, null, 10))
    expect(Exit.isSuccess(left) && left.value).toEqual([object.name])
  })

  it("that answers nothing is asked once, and no more by calls that waited for it", async () => {
    server.fail("silent")
    const before = server.requests.length
    const objects = times(100, () => draftObject(newId()))
    const exits = await Effect.runPromise(
      Effect.provide(
        Effect.flatMap(ObjectStorage, ({ put }) =>
          Effect.forEach(objects, (object) => Effect.exit(put([object])), { concurrency: "unbounded" })
        ),
        S3.layer(options({ timeout: 400 }))
      )
    )
    expect(exits.every(Exit.isFailure)).toBe(true)
    // No more requests than may run at the same time.
    expect(server.requests.length - before).toBeLessThanOrEqual(32)
  })

  it("reads a body that breaks off again", async () => {
    const object = draftObject(newId(), new Uint8Array(100_000).fill(7))
    await using(options(), ({ put }) => put([object]))
    server.fail("truncated", 1)
    const read = await using(options(), ({ get }) => get([object.name]))
    expect(Exit.isSuccess(read) && read.value[0]?.length).toBe(100_000)
    server.fail("truncated")
    expect(Exit.isFailure(await using(options(), ({ get }) => get([object.name])))).toBe(true)
  })

  it("refuses wrong credentials, and no error tells them", async () => {
    const wrong = options({ secretAccessKey: Redacted.make("not the secret of the key") })
    const exit = await using(wrong, ({ get }) => get([draftObject(newId()).name]))
    const cause = Exit.isFailure(exit) ? exit.cause : Cause.empty
    expect(Cause.squash(cause)).toMatchObject({
      _tag: "Unavailable",
      cause: { message: "the object storage answered 403 SignatureDoesNotMatch" }
    })
    expect(JSON.stringify(describeDefect(cause))).not.toMatch(/secret|AKID/)
    expect(
      Exit.isFailure(await using(options({ bucket: "elsewhere" }), ({ put }) => put([draftObject(newId())])))
    ).toBe(true)
  })
})
