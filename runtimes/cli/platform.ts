/**
 * What effect's command line asks of a platform, on Node and Bun alike: arguments and standard output. It never reads
 * the terminal, files or other processes here, since no command asks questions.
 *
 * @module
 */
import { Console, Effect, FileSystem, Layer, Path, Sink, Stdio, Stream, Terminal } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"
import { ChildProcessSpawner } from "effect/process"

const unused = Effect.die(new Error("No command asks for this"))

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

/** A console that keeps what it is told: help is printed only where it was asked for. */
export const keepingConsole = () => {
  const lines: Array<string> = []
  const kept: Console.Console = Object.assign(Object.create(console) as Console.Console, {
    log: (...parts: ReadonlyArray<unknown>) => void lines.push(parts.map(String).join(" ")),
    error: () => undefined
  })
  return { layer: Layer.succeed(Console.Console, kept), text: () => lines.join("\n") }
}
