import { describe, expect, test } from 'vitest';
import { redactSecrets } from '../../src/lib/redaction.ts';

/** The brackets enclose what is secret. */
const SECRET_IN_PROSE = [
  'the root pw is ⟦qX7-bV2-mN9⟧',
  'Das Passwort für den Server ist ⟦Zw7!kLq9vB⟧',
  'Mein API-Schlüssel ist ⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧',
  'mi clave de API es ⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧',
  'The password for grafana changed from ⟦Hj7$kk21Qp⟧ to ⟦Mn8%ll32Rs⟧',
  'The password for grafana changed from ⟦Hj7$k2Lq9⟧ to ⟦Mn8%p3Wr0⟧',
  'the password should be ⟦qX7bV2mN9⟧',
  'set the password as ⟦qX7bV2mN9zz⟧',
  'the new password will be ⟦qX7bV2mN9zz⟧',
  'the JWT secret we use is ⟦kj3h4kjh5k3j4h5k3jh⟧',
  'our secret is ⟦kj3h4kjh5k3j4h5k3jh⟧',
  'the license key is ⟦ABCD-1234-EFGH-5678⟧',
  'das kennwort lautet ⟦Fx82-Kq91-ZZ⟧',
  'the otp seed is ⟦JBSWY3DPEHPK3PXP⟧',
  'my 2FA backup codes are ⟦8f3a-91bc⟧, ⟦77de-02aa⟧',
  'my recovery codes are ⟦8f3k-2m9x⟧, ⟦q7w2-e4r5 and z9y8-x7w6⟧',
  'The password (root) is ⟦qX7bV2mN9⟧',
  '⟦qX7bV2mN9⟧ is the root password.',
  'Use ⟦qX7bV2mN9⟧ as the password for staging.',
  'Das Passwort vom WLAN im Büro wurde auf ⟦qX7bV2mN9⟧ geändert',
  'Das WLAN-Passwort soll ⟦qX7bV2mN9⟧ sein',
  'Das Passwort vom WLAN lautet jetzt ⟦qX7bV2mN9⟧',
  'La contraseña del servidor de pruebas ahora es ⟦qX7bV2mN9⟧',
  'La contraseña se cambió de ⟦qX7bV2mN9⟧ a ⟦Hj7$kk21Qp⟧',
  'La clave del wifi es ⟦qX7bV2mN9⟧',
  "Le mot de passe de l'admin a été changé en ⟦qX7bV2mN9⟧",
  "La clé d'API de météo est ⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧",
  'La password del server è ⟦qX7bV2mN9⟧',
  'La chiave API è ⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧',
  'A senha do servidor é ⟦qX7bV2mN9⟧',
  'A chave da API é ⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧',
  'Het wachtwoord van de server is ⟦qX7bV2mN9⟧',
  'De API-sleutel is ⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧',
  'Hasło do serwera to ⟦qX7bV2mN9⟧',
  'Mój klucz API to ⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧',
  'Пароль от сервера ⟦qX7bV2mN9⟧',
  'Пароль для базы — ⟦qX7bV2mN9⟧',
  'Мой ключ API: ⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧',
  'Пароль теперь ⟦qX7bV2mN9⟧',
  '服务器的密码已经改成了⟦qX7bV2mN9⟧',
  '我的API密钥是⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧',
  'サーバーのパスワードは今⟦qX7bV2mN9⟧です',
  'APIキーは⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧です',
  'パスワードを⟦qX7bV2mN9⟧に変更しました',
  'the passphrase for the backup is ⟦tulip-Sandwich-92-orbit⟧',
  'our wifi password at the cabin is still ⟦qX7bV2mN9⟧',
  'the admin password was ⟦qX7bV2mN9⟧ until yesterday',
  'my key for the weather API, by the way, is ⟦7d3f9a1c2b4e6f8091a2b3c4d5e6f708⟧',
];

const HARMLESS_PROSE = [
  'the password is required',
  'the key is to listen',
  'die Lösung ist der Schlüssel 12345678',
  'The password should be at least 12 characters long',
  'The password must be PBKDF2-hashed before it is stored',
  'The key to good performance is x86-64-v3',
  'The password for the demo is on the whiteboard in room B2-14a',
  'The secret is out, and the release is v2.14.3',
  'The key takeaway is that Node20.11 broke it',
  'My PIN is 4821',
  'The root password was changed on 2026-11-30T10:15',
  'The pw is sunshine',
  'The token is refreshed by worker-7 every night',
  'The public key is AAAAC3NzaC1lZDI1NTE5AAAAIJx7qX7bV2mN9',
  'The key is stored in us-east-1b',
  'The encryption key is AES-256-GCM',
  'The key is RSA-4096',
  'The password hash is $2b$12$Kq91aZ0pL',
  'The API key belongs to user ada-42 and expires in 90d',
  'The access code is for the garage',
  'The backup codes are in the drawer',
  'The primary key is user_id',
  'The object key is uploads/2024/a1b2.png',
  'Das Passwort muss 12-stellig sein',
  'Das Passwort ist abgelaufen, Ticket PROJ-1234 ist offen',
  'Der Schlüssel liegt unter Stein 3 im Garten',
  'Der Schlüssel zum Erfolg ist Ausdauer',
  'Der Primärschlüssel ist kunden_id2',
  'Das Passwort für den Server steht in 1Password',
  'La clave es usar Node20 en producción',
  'La clave primaria es cliente_id2',
  'La contraseña es obligatoria desde 2024-11-05',
  'La clé est sous le paillasson',
  'Le mot de passe doit contenir 8 caractères',
  'La chiave di volta è il test2',
  'A senha é obrigatória',
  'Het wachtwoord is verlopen',
  'Hasło jest za krótkie',
  'Kluczem jest regularność',
  'Пароль должен содержать 8 символов',
  'Ключ лежит под ковриком',
  '密码长度至少8位',
  '密码使用SHA256哈希存储',
  '密码是必填项',
  'パスワードは8文字以上です',
  'パスワードはbcrypt12で保存します',
  'キーはF12です',
  'Use GPT-4o-mini as the key model, it is cheaper',
  'The token limit is 128k and costs 0.25$/1k',
  'I lost my key at 14:30 at gate B22a',
  'We moved the key from Berlin to Graz in 2024',
  'The password is the same as in Q3-2024',
  'The map key is userName2',
  'The Redis key is session:42:profile',
  'The licence key is printed on the box',
  'The sort key is created_at2',
  'version 2.1.0-rc1 is the key release for us',
  'user42x is the password owner',
  'The key file is id_ed25519.pub',
  'The secret name is prod/db1/main',
  'Our secret santa is on 24.12.2026',
  'The key change was in commit 9f8a7b6c5d4e',
  'The password reset takes 5-10min',
  'The key of the song is C#minor',
  'The token is a UUIDv4 or ULID',
  'The key is the same as EU-West-1a',
  'The password will be rotated on Monday at 10:30',
  'The JWT secret is read from env.JWT_SECRET',
  'The keyboard is a Keychron-K2v2',
  'The error code is E1234-b',
  'The zip code is 8010 and the area code is +43316',
  'The discount code for shoes is SPRING2026',
  'our door code changes to 4821 in May',
  'The promo code is SAVE20NOW',
  'The answer key is 1b 2a 3c',
];

describe('a credential that a sentence names', () => {
  test.each(SECRET_IN_PROSE)('is masked, and nothing else: %s', (marked) => {
    const { text } = redactSecrets(marked.replace(/[⟦⟧]/g, ''));
    expect(text).toBe(marked.replace(/⟦[^⟧]+⟧/g, '[redacted: assigned-secret]'));
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });

  test.each(HARMLESS_PROSE)('is not seen in: %s', (text) => {
    expect(redactSecrets(text)).toEqual({ text, count: 0 });
  });

  test.each([
    'the password for a ',
    'key is ',
    "la clé d'a ",
    '密码',
    'パスワード、',
    'пароль от ',
    'license key is A1B2-',
    'a1b2c3d4 is the ',
    'password, a b c d,',
    '[redacted: assigned-secret], a1b2c3d4',
  ])('a long hostile text of %j is read once, not once for each beginning', (beginning) => {
    const timeOf = (length: number) => {
      const text = beginning.repeat(Math.ceil(length / beginning.length));
      const start = performance.now();
      redactSecrets(text);
      return performance.now() - start;
    };
    timeOf(20_000);
    expect(timeOf(400_000)).toBeLessThan(5000);
  });
});
