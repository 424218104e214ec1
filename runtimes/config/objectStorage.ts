/**
 * Reads where the content of emails is stored, from `SVC_OBJECT_STORAGE`, and the credentials from the variables of AWS tools.
 *
 * @module
 */
import { Config, Effect, FileSystem, Option, Redacted } from "effect"
import type { S3Options } from "../../adapters/objects/S3.ts"

/** Where the content of emails is stored. */
export type ObjectStorageChoice =
  | { readonly _tag: "Database" }
  | { readonly _tag: "Files"; readonly directory: string }
  | ({ readonly _tag: "S3" } & S3Options)

/** The value is invalid. The message says what is expected. */
export class ObjectStorageInvalid extends Error {
  override readonly name = "ObjectStorageInvalid"
}

const forms = "database, file:<directory> or s3://<bucket>/<prefix>?region=...&endpoint=..."

const invalid = (expected: string) => new ObjectStorageInvalid(expected)

const variable = (name: string): Effect.Effect<string | null> =>
  Effect.map(
    Effect.orDie(Config.option(Config.String(name))),
    (value) => Option.getOrElse(value, () => "").trim() || null
  )

/** Creates the directory now, so that an error is reported at the start and not when content is first stored. */
const readFiles = Effect.fnUntraced(function* (value: string) {
  const { access, makeDirectory } = yield* FileSystem.FileSystem
  const directory = value.slice("file:".length).replace(/^\/\/(?=\/)/, "")
  if (directory === "" || directory.startsWith("//")) return yield* Effect.fail(invalid(forms))
  yield* makeDirectory(directory, { recursive: true, mode: 0o700 }).pipe(
    Effect.andThen(access(directory, { writable: true })),
    Effect.mapError(() => invalid("a directory that can be made and written"))
  )
  return { _tag: "Files", directory } satisfies ObjectStorageChoice
})

const parameters = ["region", "endpoint", "style"]

const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === "/" &&
    url.search === "" &&
    !url.username
  )
}

const readS3 = Effect.fnUntraced(function* (value: string) {
  const url = URL.parse(value)
  if (url === null || url.username !== "" || url.password !== "" || url.port !== "" || url.hash !== "") {
    return yield* Effect.fail(
      invalid(`${forms}, the credentials in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`)
    )
  }
  const bucket = url.hostname
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    return yield* Effect.fail(invalid("the name of a bucket after s3://"))
  }
  const parts = url.pathname.split("/").filter((part) => part !== "")
  const prefix = parts.join("/")
  if (!/^[\w./-]{0,200}$/.test(prefix) || parts.some((part) => /^\.+$/.test(part))) {
    return yield* Effect.fail(
      invalid("a prefix of at most 200 letters, digits, dots, hyphens, underscores and slashes")
    )
  }
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.includes(name))
  if (unknown !== undefined)
    return yield* Effect.fail(invalid("no parameters but region, endpoint and style"))
  const region =
    url.searchParams.get("region") ??
    (yield* variable("AWS_REGION")) ??
    (yield* variable("AWS_DEFAULT_REGION"))
  const endpoint = url.searchParams.get("endpoint")
  if (endpoint !== null && !isOrigin(endpoint)) {
    return yield* Effect.fail(invalid("an endpoint that is an http or https URL without a path"))
  }
  if (region === null ? endpoint === null : !/^[a-z0-9-]{1,40}$/.test(region)) {
    return yield* Effect.fail(invalid("a region, such as region=eu-central-1"))
  }
  const style = url.searchParams.get("style") ?? (endpoint === null ? "host" : "path")
  if (style !== "path" && style !== "host") return yield* Effect.fail(invalid("style=path or style=host"))
  const accessKeyId = yield* variable("AWS_ACCESS_KEY_ID")
  const secret = yield* variable("AWS_SECRET_ACCESS_KEY")
  const token = yield* variable("AWS_SESSION_TOKEN")
  if (accessKeyId === null || secret === null) {
    return yield* Effect.fail(
      invalid("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to be set, since it is a bucket")
    )
  }
  const options: S3Options = {
    bucket,
    prefix,
    region: region ?? "us-east-1",
    endpoint,
    style: style === "path" ? "Path" : "Host",
    accessKeyId,
    secretAccessKey: Redacted.make(secret, { label: "AWS_SECRET_ACCESS_KEY" }),
    sessionToken: token === null ? null : Redacted.make(token, { label: "AWS_SESSION_TOKEN" })
  }
  return { _tag: "S3", ...options } satisfies ObjectStorageChoice
})

/** The choice in a value of `SVC_OBJECT_STORAGE`; null if it is unset. */
export const readObjectStorage = (
  value: string | null
): Effect.Effect<ObjectStorageChoice, ObjectStorageInvalid, FileSystem.FileSystem> => {
  if (value === null || value === "database") return Effect.succeed({ _tag: "Database" })
  if (value.startsWith("file:")) return readFiles(value)
  return value.startsWith("s3://") ? readS3(value) : Effect.fail(invalid(forms))
}
