/**
 * Stores the personal tokens of `svc login` in the user's configuration directory, readable only by the user.
 *
 * @module
 */
import { Config, Effect, FileSystem, Option, Path, Schema } from "effect"
import { homedir } from "node:os"

/** The token for each server, by the server's base URL. */
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

/** The token for a server; null if there is no login for it. */
export const loginAt = (baseUrl: string) =>
  Effect.map(readLogins, (logins): string | null =>
    Object.hasOwn(logins, baseUrl) ? logins[baseUrl]! : null
  )

/** The base URL of the only server with a login; null if there are none or several. */
export const soleLogin = Effect.map(readLogins, (logins) => {
  const [first = null, ...others] = Object.keys(logins)
  return others.length === 0 ? first : null
})

/** Stores the token for a server. Returns the path of the file. */
export const keepLogin = Effect.fnUntraced(function* (baseUrl: string, token: string) {
  const files = yield* FileSystem.FileSystem
  const { dirname } = yield* Path.Path
  const path = yield* fileOf
  const logins = { ...(yield* readLogins), [baseUrl]: token }
  yield* files.makeDirectory(dirname(path), { recursive: true, mode: 0o700 })
  // Written to a temporary file and renamed, so that the file is never accessible to others or incomplete.
  const fresh = `${path}.new`
  yield* files.remove(fresh, { force: true })
  yield* files.writeFileString(fresh, `${JSON.stringify(logins)}\n`, { flag: "wx", mode: 0o600 })
  yield* files.rename(fresh, path)
  return path
})
