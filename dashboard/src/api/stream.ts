/**
 * Follows an account's event stream in components: connects, resumes after a lost connection, and reports the state of the
 * connection.
 *
 * @module
 */
import { useEffect, useEffectEvent, useState } from "react"
import { makeEventReader, type StreamEvent } from "../lib/eventStream.ts"
import { connect, urlOf } from "./call.ts"
import { ApiError } from "./errors.ts"

/** The state of a stream: connecting for the first time, open, connecting again, or rejected permanently. */
export type StreamState = "connecting" | "open" | "lost" | "refused"

/** The pause before the first reconnection, in milliseconds. It doubles with each attempt, up to `longestPause`. */
const firstPause = 1_000
const longestPause = 30_000
/** Without data for this long, in milliseconds, the connection counts as lost: three heartbeats. */
const silenceMillis = 45_000
/**
 * How long events are collected before they are delivered, in milliseconds, so that a busy account redraws only a few times a
 * second.
 */
const gatherMillis = 200

/** Waits for a time, or until the network is back. */
const after = (millis: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener("online", end)
      resolve()
    }
    const timer = setTimeout(end, millis)
    addEventListener("online", end)
    signal.addEventListener("abort", end)
  })

/** Reads a connection until it ends, falls silent, or the network is lost. */
const follow = async (body: ReadableStream<Uint8Array>, take: (piece: string) => void): Promise<void> => {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  const next = async (): Promise<void> => {
    let timer: number | undefined
    const silent = new Promise<null>((resolve) => {
      timer = window.setTimeout(() => resolve(null), silenceMillis)
    })
    const part = await Promise.race([reader.read(), silent]).finally(() => clearTimeout(timer))
    if (part === null || part.done) return reader.cancel()
    take(part.value)
    return next()
  }
  const lose = () => void reader.cancel().catch(() => undefined)
  addEventListener("offline", lose)
  await next().finally(() => removeEventListener("offline", lose))
}

/**
 * Follows the stream of an account while the component is shown, unless `topics` is empty. `onEvents` gets the collected events a
 * few times a second; an event named `reset` means that some were missed. It reconnects by itself after errors that may be
 * temporary.
 */
export const useStream = (
  accountId: string,
  topics: ReadonlyArray<string>,
  onEvents: (events: ReadonlyArray<StreamEvent>) => void
): { readonly state: StreamState; readonly error: ApiError | null } => {
  const [state, setState] = useState<StreamState>("connecting")
  const [error, setError] = useState<ApiError | null>(null)
  const give = useEffectEvent(onEvents)
  const url = urlOf("/accounts/:accountId/stream", { accountId }, { topics })
  const isWanted = topics.length > 0
  useEffect(() => {
    if (!isWanted) return
    const aborting = new AbortController()
    const { signal } = aborting
    let lastId = ""
    let pause = firstPause
    let gathered: Array<StreamEvent> = []
    const timer = setInterval(() => {
      const events = gathered
      gathered = []
      if (events.length > 0) give(events)
    }, gatherMillis)
    const stay = async (): Promise<void> => {
      try {
        const body = await connect(url, { lastId, signal })
        setState("open")
        setError(null)
        pause = firstPause
        const read = makeEventReader((id) => {
          lastId = id
        })
        await follow(body, (piece) => gathered.push(...read(piece)))
      } catch (failure) {
        if (signal.aborted) return
        if (failure instanceof ApiError) setError(failure)
        if (failure instanceof ApiError && !failure.isPassing) return setState("refused")
      }
      if (signal.aborted) return
      setState("lost")
      await after(pause, signal)
      pause = Math.min(longestPause, pause * 2)
      if (!signal.aborted) return stay()
    }
    void stay()
    return () => {
      clearInterval(timer)
      aborting.abort()
    }
  }, [isWanted, url])
  return { state, error }
}
