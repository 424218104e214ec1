/**
 * The services and the console of Effect's command line, on Node and Bun.
 *
 * @module
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Layer, References } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"

/** The services of the command line: files, paths, standard streams, the format of its help, and a log of warnings only. */
export const platform = Layer.mergeAll(
  NodeServices.layer,
  Layer.succeed(References.MinimumLogLevel, "Warn"),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
  CliOutput.layer(CliOutput.defaultFormatter({ colors: process.stdout.isTTY && !process.env["NO_COLOR"] }))
)

/** A console that buffers its output, because help is printed only if it is requested. */
export const keepingConsole = () => {
  const lines: Array<string> = []
  const kept: Console.Console = Object.assign(Object.create(console) as Console.Console, {
    log: (...parts: ReadonlyArray<unknown>) => void lines.push(parts.map(String).join(" ")),
    error: () => undefined
  })
  return { layer: Layer.succeed(Console.Console, kept), text: () => lines.join("\n") }
}
