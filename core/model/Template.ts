/**
 * Templates of emails, and their versions.
 *
 * @module
 */
import type { Edited, Editor } from "./Edited.ts"

/** The formats of templates. */
export const templateFormats = ["Html", "Mjml", "Blocks"] as const

/** The format of a template: the `html` itself, or a `source` from which HTML is compiled. */
export type TemplateFormat = (typeof templateFormats)[number]

/** The content from which emails are rendered: Liquid (docs/contributing/decisions.md 4) in subject, preheader, html and text. */
export interface TemplateContent {
  readonly name: string
  readonly subject: string
  readonly format: TemplateFormat
  /** MJML for the format Mjml, the composer's document as JSON for Blocks; null for Html. */
  readonly source: string | null
  /** The preview text that mail programs show next to the subject; null to let them choose it. */
  readonly preheader: string | null
  /** As saved: HTML, or MJML if its root element is `<mjml>`; null for the other formats. */
  readonly html: string | null
  /** The HTML that is rendered: compiled from MJML or blocks, otherwise `html`. */
  readonly compiledHtml: string | null
  readonly text: string | null
}

/** The parts of a template that are rendered. */
export type RenderedContent = Pick<TemplateContent, "compiledHtml" | "preheader" | "subject" | "text">

/** The Liquid sources that are rendered for an email, without absent ones. */
export const renderedSources = ({
  compiledHtml,
  preheader,
  subject,
  text
}: RenderedContent): ReadonlyArray<string> =>
  [subject, preheader, compiledHtml, text].filter((source) => source !== null)

/** A template. Times are epoch milliseconds. */
export interface Template extends TemplateContent, Edited {
  readonly id: string
  readonly accountId: string
  /** From 1; each save increments it. */
  readonly version: number
  readonly createdAt: number
}

/** A template as of one save. */
export interface TemplateVersion extends TemplateContent {
  readonly accountId: string
  readonly templateId: string
  readonly version: number
  /** Epoch milliseconds. */
  readonly savedAt: number
  /** Who saved it; null if that was not stored. */
  readonly savedBy: Editor | null
}

/** A version without its content. */
export type TemplateVersionSummary = Pick<
  TemplateVersion,
  "name" | "savedAt" | "savedBy" | "subject" | "version"
>

/** The most versions of a template that are kept; the oldest are deleted. */
export const maxTemplateVersions = 50

/** The version that saving a template creates. */
export const versionOf = (template: Template): TemplateVersion => {
  const { createdAt: _created, id: templateId, updatedAt, updatedBy, ...content } = template
  return { ...content, templateId, savedAt: updatedAt, savedBy: updatedBy }
}
