/**
 * Documents the transactional email endpoints (docs/contributing/public-api.md "Transactional email",
 * docs/contributing/decisions.md 5).
 *
 * @module
 */
import type { OperationNotes } from "../Notes.ts"
import { exampleIds } from "./examples.ts"

/** POST /sending/emails. */
export const submitEmail: OperationNotes = {
  description:
    "Queues an email. Transactional only: no marketing consent is needed, and it is stopped only for an address that " +
    "bounced, complained or is on the protective list (status `Suppressed`). An email is either `subject` with `html` " +
    "or `text`, or `templateId` with `variables`. Without a verified domain it waits (`sending.no_verified_sender`). " +
    "With an idempotency key, a second call with the same key returns the first email and sends nothing more; " +
    "without one, each call queues a new email.",
  success: { 200: "The key was used before: the first email", 201: "The email was queued, or suppressed" },
  codes: [
    "validation.email",
    "validation.format",
    "validation.max_length",
    "validation.required",
    "deliverability.sender_domain_not_verified",
    "sending.attachment_invalid",
    "sending.attachments_too_large",
    "sending.attachments_too_many",
    "sending.content_ambiguous",
    "sending.content_required",
    "sending.header_invalid",
    "sending.header_not_allowed",
    "sending.headers_too_many",
    "sending.idempotency_key_invalid",
    "sending.idempotency_key_mismatch",
    "sending.metadata_invalid",
    "sending.queue_full",
    "sending.recipients_too_many",
    "sending.send_at_too_far",
    "sending.tags_invalid",
    "sending.template_not_found",
    "sending.template_render_failed",
    "sending.variables_invalid"
  ],
  links: { readEmail: { operationId: "sending.get", parameters: { id: "/id" } } },
  example: {
    parameters: { "Idempotency-Key": "order-1042-receipt" },
    body: {
      to: "Ada <ada@example.com>",
      subject: "Your receipt",
      html: "<p>Thank you for your order.</p>",
      text: "Thank you for your order.",
      tags: { kind: "receipt" },
      metadata: { orderId: "1042" },
      tracking: { opens: false, clicks: false }
    },
    value: { id: exampleIds.email, status: "Queued", reason: null }
  }
}

/** GET /sending/emails/{id}. */
export const readEmail: OperationNotes = {
  description:
    "Every recipient is listed, suppressed ones included, each with a status of its own; `status` is the common one, " +
    "or `Mixed`. Bcc addresses are visible to the sending account alone. Addresses, tags and metadata go when " +
    "retention erases them.",
  success: { 200: "The email" },
  codes: ["common.not_found"],
  example: {
    parameters: { id: exampleIds.email },
    value: {
      id: exampleIds.email,
      status: "Delivered",
      reason: null,
      recipients: [
        {
          id: exampleIds.email,
          email: "ada@example.com",
          name: "Ada",
          kind: "To",
          status: "Delivered",
          reason: null
        }
      ],
      sendAt: null,
      templateId: null,
      metadata: { orderId: "1042" },
      tags: { kind: "receipt" }
    }
  }
}
