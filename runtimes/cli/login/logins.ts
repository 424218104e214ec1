/**
 * The personal tokens that `svc login` keeps in the configuration directory of the user, which no one else can read.
 *
 * @module
 */
import { Config, Effect, FileSystem, Option, Path, Schema } from "effect"
import { homedir } from "node:os"

/** A token of each server, by its base URL. */
const Logins = Schema.Record(Schema.String, Schema.String)

const text = (name: string): Effect.Effect<string> =>
  Effect.map(
    Effect.orDie(Config.option(Config.String(name))),
    Option.getOrElse(() => "")
  )

/** `$XDG_CONFIG_HOME/svc/logins.json`, or the same in `~/.config`. */
const fileOf = Effect.gen(function* () {
  const { isAbsolute, join } = yield* Path.Path
  const given = yield* text("XDG_CONFIG_HOME")
  const home = yield* text("HOME")
  const folder = isAbsolute(given) ? given : join(home === "" ? homedir() : home, ".config")
  return join(folder, "svc", "logins.json")
})

const readLogins = Effect.gen(function* () {
  const { readFileString } = yield* FileSystem.FileSystem
  const read = yield* Effect.orElseSucceed(readFileString(yield* fileOf), () => "")
  return Option.getOrElse(
    Schema.decodeUnknownOption(Schema.fromJsonString(Logins))(read),
    (): typeof Logins.Type => ({})
  )
})

/** The token of a server; null where no one signed in to it. */
export const loginAt = (baseUrl: string) =>
  Effect.map(readLogins, (logins): string | null =>
    Object.hasOwn(logins, baseUrl) ? logins[baseUrl]! : null
  )

/** The base URL of the only server that someone signed in to; null for none or several. */
export const soleLogin = Effect.map(readLogins, (logins) => {
  const [first = null, ...others] = Object.keys(logins)
  return others.length === 0 ? first : null
})

/** Keeps the token of a server; returns the path of the file. */
export const keepLogin = Effect.fnUntraced(function* (baseUrl: string, token: string) {
  const files = yield* FileSystem.FileSystem
  const { dirname } = yield* Path.Path
  const path = yield* fileOf
  const logins = { ...(yield* readLogins), [baseUrl]: token }
  yield* files.makeDirectory(dirname(path), { recursive: true, mode: 0o700 })
  // Written beside it and moved, so that it is never open to others nor half written.
  const fresh = `${path}.new`
  yield* files.remove(fresh, { force: true })
  yield* files.writeFileString(fresh, `${JSON.stringify(logins)}\n`, { flag: "wx", mode: 0o600 })
  yield* files.rename(fresh, path)
  return path
})
