/**
 * The colours of consent states, and the names of people.
 *
 * @module
 */
import type { Tone } from "../../parts/show/Badge.tsx"

/** The colour of each state. */
export const consentTones: Readonly<Record<string, Tone>> = {
  Subscribed: "good",
  SoftOptIn: "accent",
  PendingConfirmation: "accent",
  Bounced: "warning",
  Complained: "bad"
}

interface Named {
  readonly firstName: string | null
  readonly lastName: string | null
  readonly email: string | null
  readonly id: string
}

/** The name of a person; without one, the address or the id. */
export const nameOf = ({ email, firstName, id, lastName }: Named): string => {
  const name = [firstName, lastName].filter((part) => part !== null && part !== "").join(" ")
  return name !== "" ? name : (email ?? id)
}
