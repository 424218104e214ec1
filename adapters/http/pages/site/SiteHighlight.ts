/**
 * Highlights the syntax of code samples when a page is rendered, so that the page needs no script for it.
 *
 * @module
 */
import hljs from "highlight.js/lib/core"
import bash from "highlight.js/lib/languages/bash"
import csharp from "highlight.js/lib/languages/csharp"
import go from "highlight.js/lib/languages/go"
import http from "highlight.js/lib/languages/http"
import ini from "highlight.js/lib/languages/ini"
import javascript from "highlight.js/lib/languages/javascript"
import json from "highlight.js/lib/languages/json"
import nginx from "highlight.js/lib/languages/nginx"
import php from "highlight.js/lib/languages/php"
import properties from "highlight.js/lib/languages/properties"
import python from "highlight.js/lib/languages/python"
import ruby from "highlight.js/lib/languages/ruby"
import sql from "highlight.js/lib/languages/sql"
import typescript from "highlight.js/lib/languages/typescript"
import xml from "highlight.js/lib/languages/xml"
import yaml from "highlight.js/lib/languages/yaml"
import { Html, html } from "../hosted/html.ts"

const languages = {
  bash,
  csharp,
  go,
  http,
  ini,
  javascript,
  json,
  nginx,
  php,
  properties,
  python,
  ruby,
  sql,
  typescript,
  xml,
  yaml
}

for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** Languages of samples without highlighting. */
export const plainLanguages: ReadonlySet<string> = new Set(["caddyfile", "liquid", "text"])

/** Whether samples in a language, given by name or short form (`sh`), are highlighted. */
export const isHighlighted = (language: string): boolean => hljs.getLanguage(language) !== undefined

/** The markup of a sample; in an unknown language, the escaped text. */
export const highlight = (code: string, language: string): Html =>
  isHighlighted(language)
    ? new Html(hljs.highlight(code, { language, ignoreIllegals: true }).value)
    : html`${code}`
