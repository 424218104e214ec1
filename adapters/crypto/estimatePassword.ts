/**
 * Estimates the strength of a password in a thread of its own. The first run loads the dictionaries.
 *
 * @module
 */
import type { ZxcvbnFactory } from "@zxcvbn-ts/core"
import type { PasswordEstimate } from "../../core/ports/PasswordStrength.ts"
import type { ThreadFunction, ThreadTask } from "../../core/ports/Threads.ts"

/** A password, and the words that an attacker would try first. */
export interface EstimateInput {
  readonly password: string
  readonly words: ReadonlyArray<string>
}

/** Declares {@link estimatePassword} as a task for threads. */
export const estimateTask: ThreadTask<EstimateInput, PasswordEstimate> = {
  module: import.meta.url,
  name: "estimatePassword",
  maxMillis: 2_000
}

/** The hints for a weak password, by the estimator's warnings. */
const hints: Readonly<Record<string, string>> = {
  straightRow: "Rows of keys are easy to guess.",
  keyPattern: "Short keyboard patterns are easy to guess.",
  simpleRepeat: "Repeated characters are easy to guess.",
  extendedRepeat: "Repeated character patterns are easy to guess.",
  sequences: "Common character sequences are easy to guess.",
  recentYears: "Recent years are easy to guess.",
  dates: "Dates are easy to guess.",
  topTen: "This is a heavily used password.",
  topHundred: "This is a frequently used password.",
  common: "This is a commonly used password.",
  similarToCommon: "This is similar to a commonly used password.",
  wordByItself: "Single words are easy to guess.",
  namesByThemselves: "Single names or surnames are easy to guess.",
  commonNames: "Common names and surnames are easy to guess.",
  userInputs: "It must not contain what others know about you.",
  pwned: "This password was exposed by a data breach."
}

let loaded: Promise<ZxcvbnFactory> | null = null

const load = async (): Promise<ZxcvbnFactory> => {
  const [{ ZxcvbnFactory: Factory }, common] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common")
  ])
  return new Factory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs })
}

/** Estimates a password. A thread calls it by name. */
export const estimatePassword: ThreadFunction<EstimateInput, PasswordEstimate> = async ({
  password,
  words
}) => {
  loaded ??= load()
  const { feedback, score } = (await loaded).check(password, [...words])
  return { value: { score, hint: hints[feedback.warning ?? ""] ?? null }, transfer: [] }
}
