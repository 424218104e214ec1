/**
 * Defines the management endpoints of images.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { imageTypes, maxImageBytes, maxImageName } from "../../../../core/model/Image.ts"
import { envelope, MaxBody } from "../Envelope.ts"
import { id, timestamp } from "../Fields.ts"
import { byTime, listing, listOf } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { accountPath, resourcePath } from "../management/Path.ts"

const ImageShape = Schema.Struct({
  id,
  url: Schema.String.annotateKey({ description: "Public URL of the image" }),
  name: Schema.NullOr(Schema.String),
  type: Schema.Literals(imageTypes),
  width: Schema.Int,
  height: Schema.Int,
  bytes: Schema.Int,
  createdAt: timestamp
}).annotate({ identifier: "Image" })

/** The routes of images. */
export class ImagesGroup extends HttpApiGroup.make("images")
  .add(
    HttpApiEndpoint.post("upload", "/accounts/:accountId/images", {
      params: accountPath,
      query: {
        name: Schema.optionalKey(
          Schema.String.annotate({ maxLength: maxImageName, description: "The name of the file" })
        )
      },
      payload: Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/octet-stream" })),
      success: envelope(ImageShape).pipe(HttpApiSchema.status(201))
    })
      .annotate(MaxBody, maxImageBytes)
      .annotate(OpenApi.Summary, "Upload an image")
      .annotate(
        OpenApi.Description,
        "The body is the file: PNG, JPEG, GIF or WebP, by its content and not by what the request says, up to 5 MB. An " +
          "image that the account has already is returned as it is."
      ),
    HttpApiEndpoint.get("list", "/accounts/:accountId/images", {
      params: accountPath,
      query: listing(byTime),
      success: envelope(listOf(ImageShape))
    }).annotate(OpenApi.Summary, "List images, newest first"),
    HttpApiEndpoint.get("get", "/accounts/:accountId/images/:id", {
      params: resourcePath,
      success: envelope(ImageShape)
    }).annotate(OpenApi.Summary, "Get an image"),
    HttpApiEndpoint.delete("remove", "/accounts/:accountId/images/:id", {
      params: resourcePath,
      success: envelope(Schema.Null)
    }).annotate(OpenApi.Summary, "Delete an image; emails that show it no longer do")
  )
  .annotate(OpenApi.Title, "Images")
  .pipe(
    requiring({
      upload: "templates:write",
      list: "templates:read",
      get: "templates:read",
      remove: "templates:write"
    })
  ) {}
