/**
 * How a sandbox recipient acts out what can happen to mail (decisions 1), so that integrators can test each path.
 *
 * @module
 */
import type { Outcome } from "../../model/Message.ts"

/** The outcome of a sandbox message: by the local part `bounce`, `complaint` or `defer`, else Delivered. */
export const sandboxOutcome = (recipient: string, earlierAttempts: number): Outcome => {
  switch (recipient.slice(0, recipient.lastIndexOf("@"))) {
    case "bounce":
      return { _tag: "Bounced" }
    case "complaint":
      return { _tag: "Complained" }
    case "defer":
      return earlierAttempts === 0 ? { _tag: "Deferred" } : { _tag: "Delivered" }
    default:
      return { _tag: "Delivered" }
  }
}
