/**
 * Defines the management endpoints about the service's logs.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { envelope } from "../Envelope.ts"
import { requiring } from "../Requirements.ts"

/** The routes of logs. */
export class LogsGroup extends HttpApiGroup.make("logs")
  .add(
    HttpApiEndpoint.post("hash", "/logs/hash", {
      payload: Schema.Struct({ text: Schema.String }),
      success: envelope(Schema.Struct({ hash: Schema.String }))
    })
  )
  .pipe(
    requiring({
      hash: "installation:read"
    })
  ) {}
