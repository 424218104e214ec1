/**
 * The words of the hosted pages in English.
 *
 * @module
 */
import type { PageTexts } from "./PageTexts.ts"

/** The words. */
export const en: PageTexts = {
  notFound: {
    title: "This link does not work",
    text: "It may have ended, or part of it may be missing. Please use the link in the most recent email."
  },
  outdated: {
    title: "This link is no longer valid",
    text: "It was sent to an address that is no longer that of this sign-up. Nothing was confirmed. Please use the link in the most recent email."
  },
  unavailable: {
    title: "Please try again",
    text: "We cannot do this right now. Nothing was changed. Please try again in a moment."
  },
  addressed: (email) => `For ${email}`,
  confirm: {
    title: "Please confirm",
    text: (name) => `Yes, I want to receive emails from ${name}. I can unsubscribe at any time.`,
    button: "Confirm"
  },
  subscribed: {
    title: "You are subscribed",
    text: (name) => `Thank you. You will receive emails from ${name}.`
  },
  nothingToConfirm: {
    title: "There is nothing to confirm",
    text: (name) => `This sign-up to emails from ${name} is no longer waiting for a confirmation.`
  },
  unsubscribed: {
    title: "You are unsubscribed",
    text: (name) => `You will receive no more newsletters or offers from ${name}.`
  },
  unsubscribe: {
    title: "Unsubscribe",
    text: (name) => `Do you want to stop receiving newsletters and offers from ${name}?`,
    button: "Unsubscribe"
  },
  preferences: {
    title: (name) => `Emails from ${name}`,
    saved: "Your choices are saved.",
    topics: "What would you like to hear about?",
    save: "Save",
    all: "All emails",
    stop: (name) => `Stop all newsletters and offers from ${name}.`,
    stopAll: "Unsubscribe from all",
    stopped: (name) =>
      `You are unsubscribed: you receive no newsletters or offers from ${name}, whatever is chosen above.`
  },
  mail: {
    subject: (name) => `Please confirm: emails from ${name}`,
    text: (name) =>
      `Please confirm that you want to receive emails from ${name}. The link works for 30 days.`,
    ignore: "If you did not sign up, ignore this email: you will receive nothing."
  },
  links: { unsubscribe: "Unsubscribe", preferences: "Preferences" },
  webVersion: { changed: "This email showed other data when it was sent." }
}
