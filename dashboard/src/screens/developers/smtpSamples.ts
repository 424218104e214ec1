/**
 * SMTP settings for common programs (docs/smtp.md has more).
 *
 * @module
 */

/** The settings for a host. `key` is a placeholder for the account's API key. */
export const smtpSamples = (
  host: string,
  key: string
): ReadonlyArray<{ readonly name: string; readonly code: string }> => [
  {
    name: "Nodemailer",
    code: `const transport = nodemailer.createTransport({
  host: "${host}",
  port: 587,
  requireTLS: true,
  auth: { user: "svc", pass: process.env.SVC_KEY }
})`
  },
  {
    name: "Django",
    code: `EMAIL_HOST = "${host}"
EMAIL_PORT = 587
EMAIL_USE_TLS = True
EMAIL_HOST_USER = "svc"
EMAIL_HOST_PASSWORD = os.environ["SVC_KEY"]`
  },
  {
    name: "Laravel",
    code: `MAIL_MAILER=smtp
MAIL_HOST=${host}
MAIL_PORT=587
MAIL_USERNAME=svc
MAIL_PASSWORD=${key}`
  },
  { name: "Symfony", code: `MAILER_DSN=smtp://svc:${key}@${host}:587` },
  {
    name: "Rails",
    code: `config.action_mailer.delivery_method = :smtp
config.action_mailer.smtp_settings = {
  address: "${host}", port: 587, enable_starttls: true,
  authentication: :plain, user_name: "svc", password: ENV["SVC_KEY"]
}`
  },
  {
    name: "Spring Boot",
    code: `spring.mail.host=${host}
spring.mail.port=587
spring.mail.username=svc
spring.mail.password=\${SVC_KEY}
spring.mail.properties.mail.smtp.auth=true
spring.mail.properties.mail.smtp.starttls.required=true`
  },
  {
    name: "Postfix",
    code: `relayhost = [${host}]:587
smtp_sasl_auth_enable = yes
smtp_sasl_password_maps = hash:/etc/postfix/sasl_passwd
smtp_sasl_security_options = noanonymous
smtp_tls_security_level = secure`
  }
]
