/**
 * Reports about mail, as receiving servers send them long after they have accepted it.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"

const files = { bounce: "postfix-user-unknown", complaint: "arf-abuse", success: "postfix-success" }

const texts = new Map<string, string>()

/** The source of a report, which is sent to the return path of the message that it is about. */
export const reportOf = (name: keyof typeof files): string => {
  let text = texts.get(name)
  if (text === undefined) {
    text = readFileSync(join(import.meta.dirname, `../fixtures/reports/${files[name]}.eml`), "utf8")
    texts.set(name, text)
  }
  return text
}
