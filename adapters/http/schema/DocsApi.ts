/**
 * Defines the documentation site at the base URL: pages, each as Markdown too, and the files they load.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { EndpointGuard } from "./Envelope.ts"

const text = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))
const page = text("text/html")

/** The documentation site. */
export class DocsGroup extends HttpApiGroup.make("docs")
  .add(
    HttpApiEndpoint.get("index", "/docs", { success: page }),
    HttpApiEndpoint.get("indexWithSlash", "/docs/", { success: page }),
    HttpApiEndpoint.get("indexMarkdown", "/docs.md", { success: text("text/markdown") }),
    HttpApiEndpoint.get("page", "/docs/:page", { params: { page: Schema.String }, success: page }),
    HttpApiEndpoint.get("asset", "/docs/assets/:file", {
      params: { file: Schema.String },
      success: Schema.String
    }),
    HttpApiEndpoint.get("llms", "/llms.txt", { success: text("text/plain") })
  )
  .annotateEndpoints(EndpointGuard, { _tag: "Open" }) {}

/** The definition of the documentation site. */
export class DocsApi extends HttpApi.make("docs").add(DocsGroup) {}
