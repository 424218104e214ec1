/**
 * The platform services of effect's command line on Node and Bun: arguments and standard output. No command asks
 * questions, so terminal, files and processes are not provided.
 *
 * @module
 */
import { Console, Effect, FileSystem, Layer, Path, Sink, Stdio, Stream, Terminal } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"
import { ChildProcessSpawner } from "effect/process"

const unused = Effect.die(new Error("No command uses this"))

/** The services of a command line with those arguments. */
export const platform = (args: ReadonlyArray<string>) =>
  Layer.mergeAll(
    FileSystem.layerNoop({}),
    Path.layer,
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }),
    CliOutput.layer(CliOutput.defaultFormatter({ colors: process.stdout.isTTY && !process.env["NO_COLOR"] })),
    Layer.succeed(
      Stdio.Stdio,
      Stdio.make({
        args: Effect.succeed(args),
        stdin: Stream.empty,
        stdout: () => Sink.drain,
        stderr: () => Sink.drain
      })
    ),
    Layer.succeed(
      Terminal.Terminal,
      Terminal.make({
        columns: Effect.succeed(process.stdout.columns || 80),
        rows: Effect.succeed(process.stdout.rows || 24),
        readInput: unused,
        readLine: unused,
        display: () => unused
      })
    ),
    Layer.succeed(
      ChildProcessSpawner.ChildProcessSpawner,
      ChildProcessSpawner.make(() => unused)
    )
  )

/** A console that buffers its output: help is printed only when requested. */
export const keepingConsole = () => {
  const lines: Array<string> = []
  const kept: Console.Console = Object.assign(Object.create(console) as Console.Console, {
    log: (...parts: ReadonlyArray<unknown>) => void lines.push(parts.map(String).join(" ")),
    error: () => undefined
  })
  return { layer: Layer.succeed(Console.Console, kept), text: () => lines.join("\n") }
}
