/**
 * Defines the pages about the service: the home page at the base URL, the documentation, whose pages are also available as
 * Markdown, and the files that they load.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { EndpointGuard } from "./Envelope.ts"

const text = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))
const page = text("text/html")

const image = text("image/svg+xml")

/** The pages. */
export class DocsGroup extends HttpApiGroup.make("docs")
  .add(
    HttpApiEndpoint.get("front", "/", { success: page }),
    HttpApiEndpoint.get("icon", "/favicon.svg", { success: image }),
    // Browsers request it by themselves on pages that name no icon.
    HttpApiEndpoint.get("iconByDefault", "/favicon.ico", { success: image }),
    HttpApiEndpoint.get("index", "/docs", { success: page }),
    HttpApiEndpoint.get("indexWithSlash", "/docs/", { success: page }),
    HttpApiEndpoint.get("indexMarkdown", "/docs.md", { success: text("text/markdown") }),
    HttpApiEndpoint.get("page", "/docs/:page", { params: { page: Schema.String }, success: page }),
    HttpApiEndpoint.get("asset", "/docs/assets/:file", {
      params: { file: Schema.String },
      success: Schema.String
    }),
    HttpApiEndpoint.get("llms", "/llms.txt", { success: text("text/plain") }),
    HttpApiEndpoint.get("llmsFull", "/llms-full.txt", { success: text("text/plain") })
  )
  .annotateEndpoints(EndpointGuard, { _tag: "Open" }) {}

/** The definition of the documentation site. */
export class DocsApi extends HttpApi.make("docs").add(DocsGroup) {}
