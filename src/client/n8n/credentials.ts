/** Credentials of the n8n nodes: the address of a daemon and a key. */
export class SvcApi {
  readonly name = 'svcApi';
  readonly displayName = 'svc API';
  readonly documentationUrl = 'https://github.com/svc-memory/svc/blob/main/clients/n8n/README.md';
  readonly properties = [
    { displayName: 'Address', name: 'url', type: 'string', default: 'http://127.0.0.1:8787', required: true },
    {
      ...{ displayName: 'API Key', name: 'apiKey', type: 'string', default: '', required: true },
      typeOptions: { password: true },
    },
  ];
  readonly authenticate = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };
  readonly test = { request: { baseURL: '={{$credentials.url}}', url: '/v1/account' } };
}
