/**
 * Generates the published contract, an OpenAPI 3.0.0 document, from the definitions of the served routes.
 *
 * @module
 */
import { webhookEventTypes } from "../../../../core/model/Webhook.ts"
import { FailureShape, InvalidBodyShape } from "../Envelope.ts"
import { FlowTriggerApi } from "../FlowTriggerApi.ts"
import { PublicApi } from "../PublicApi.ts"
import { webhookBodies, webhookExample, webhookHeaders, webhookNotes } from "../WebhookBodies.ts"
import { answerHeaders } from "./OpenApiResponses.ts"
import type { OpenApiDocument, PathItem, SchemaObject, SecurityScheme } from "./OpenApiModel.ts"
import { endpointsOf, pathsOf, schemasOf, tagsOf } from "./OpenApiOperations.ts"
import { compileSchemas } from "./OpenApiSchema.ts"

/** The endpoints that are published. */
const published = [...endpointsOf(PublicApi), ...endpointsOf(FlowTriggerApi)]

const securitySchemes: Readonly<Record<string, SecurityScheme>> = {
  ApiKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "svc_live_... or svc_test_...",
    description:
      "An API key with the permission of the operation. Keys of a sandbox begin with `svc_test_` and work on its own " +
      "data; its mail is never delivered. Keys belong on servers only."
  },
  FlowToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "svc_flow_...",
    description:
      "The token of one flow, which starts that flow and nothing else. A new one replaces it at once."
  }
}

const description = `Transactional and lifecycle email: contacts, events, a catalogue, and email with its delivery status.

Every response is an envelope: \`isSuccess\`, \`value\`, \`status\`, \`errors\`, \`fieldErrors\`. Branch on the HTTP status and
on \`errors[].code\`, which is stable; \`message\` is for logs. A body that is not JSON, or not of the operation's
shape, is rejected as \`application/problem+json\`.

A key may make 600 calls a minute, all operations together; a batch counts as one. Retry on a network error, a timeout,
429 (after \`Retry-After\`) and 503; not on 400, 401, 403 and 404.

Strings are trimmed. Date-times are ISO 8601: requests have an offset, responses are in UTC with milliseconds. A
field left out of a write keeps its value. Fields may be added to responses; a reader ignores those it does not know.`

const webhookItem = (type: keyof typeof webhookNotes): PathItem => ({
  post: {
    operationId: `webhook.${type}`,
    tags: ["Webhooks"],
    summary: webhookNotes[type].summary,
    description:
      "Sent to every active webhook that subscribes to the event or to all. Anything but a 2xx within 10 seconds is a " +
      "failure; the same body is sent again after 1, 5 and 15 minutes, 1 and 3 hours. Notifications can repeat and " +
      "arrive out of order: tell them apart by `webhook-id`.",
    security: [],
    parameters: Object.entries(webhookHeaders).map(([name, about]) => ({
      name,
      in: "header",
      required: true,
      description: about,
      schema: { type: "string" }
    })),
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { $ref: `#/components/schemas/Webhook.${type}` },
          example: webhookExample(type)
        }
      }
    },
    responses: {
      "2XX": { description: "The notification was accepted" },
      "4XX": { description: "A failure; it is sent again" }
    }
  }
})

const sorted = (schemas: Readonly<Record<string, SchemaObject>>) =>
  Object.fromEntries(Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)))

/** Makes the document of a service at `baseUrl`, which has no trailing slash. */
export const makeOpenApi = (baseUrl: string): OpenApiDocument => {
  const { components, schemas } = compileSchemas({
    ...Object.assign({}, ...published.map(schemasOf)),
    ...webhookBodies,
    failure: FailureShape,
    shapeRefusal: InvalidBodyShape
  })
  return {
    openapi: "3.0.0",
    info: {
      title: "svc",
      version: "v1",
      description,
      contact: { name: "Documentation", url: `${baseUrl}/docs` },
      license: { name: "MIT", url: "https://opensource.org/license/mit" }
    },
    servers: [{ url: baseUrl, description: "This installation" }],
    tags: [
      ...tagsOf(published),
      { name: "Webhooks", description: "Signed requests that the service sends to an address of yours." }
    ],
    paths: pathsOf(published, schemas),
    "x-webhooks": Object.fromEntries(webhookEventTypes.map((type) => [type, webhookItem(type)])),
    components: { schemas: sorted(components), headers: answerHeaders, securitySchemes }
  }
}
