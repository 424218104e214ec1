/**
 * Loads the installation's secret key from a string that the operator sets, or from a file that the first start creates.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { randomBytes, scrypt } from "node:crypto"
import { link, mkdir, open, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

const secretKeyBytes = 32

/** The minimum length, in characters, of a string from which a key is derived. */
export const minSecretText = 32

/** The name of the key file in a data directory. */
const fileName = "secret.key"

/** Constant, so that the same string results in the same key on every node and at every start. */
const salt = "svc secret key 1"

const derive = promisify<string, string, number, Buffer>(scrypt)

/** The key file cannot be read or created, or contains no key. */
export class SecretKeyFileInvalid extends Data.TaggedError("SecretKeyFileInvalid")<{
  readonly path: string
  readonly why: string
}> {
  override get message(): string {
    return `The secret key file ${this.path} ${this.why}`
  }
}

/** A new key. */
export const randomSecretKey = (): Uint8Array => randomBytes(secretKeyBytes)

/**
 * The key for a string of at least {@link minSecretText} characters. 64 hex digits or the base64 of 32 bytes are the key
 * itself. From any other string the key is derived with scrypt (N 16384, r 8, p 1).
 */
export const secretKeyOf = async (text: string): Promise<Uint8Array> => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex")
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, "base64")
  return derive(text, salt, secretKeyBytes)
}

/** Creates the key file atomically, unless it exists. */
const createFile = async (directory: string, path: string): Promise<void> => {
  const partial = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`
  await mkdir(directory, { recursive: true, mode: 0o700 })
  try {
    const file = await open(partial, "wx", 0o600)
    try {
      await file.writeFile(`${Buffer.from(randomSecretKey()).toString("hex")}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await link(partial, path).catch((error: unknown) => {
      if (!hasCode(error, "EEXIST")) throw error
    })
  } finally {
    await rm(partial, { force: true })
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown reason"

/**
 * The key in the file `secret.key` of a data directory, with mode 0600. Both are created if they are missing. Without this file
 * all sealed secrets are lost, so every backup must include it.
 */
export const secretKeyOfDirectory = (directory: string): Effect.Effect<Uint8Array, SecretKeyFileInvalid> => {
  const path = join(directory, fileName)
  const read = async () => {
    try {
      return await readFile(path, "utf8")
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error
      await createFile(directory, path)
      return readFile(path, "utf8")
    }
  }
  return Effect.flatMap(
    Effect.tryPromise({
      try: read,
      catch: (error) => new SecretKeyFileInvalid({ path, why: `cannot be read or made: ${codeOf(error)}` })
    }),
    (text) =>
      /^[0-9a-f]{64}\s*$/i.test(text)
        ? Effect.succeed(Buffer.from(text.trim(), "hex"))
        : Effect.fail(
            new SecretKeyFileInvalid({ path, why: "does not contain a key of 64 hexadecimal digits" })
          )
  )
}
