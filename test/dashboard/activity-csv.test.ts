import { describe, expect, test } from 'vitest';
import { csvOf } from '../../src/dashboard/views/activity/activity-csv.ts';

const ENTRY = {
  id: 'req_1',
  at: '2026-11-22T10:00:00.000Z',
  client: 'claude-code 2.1',
  transport: 'mcp' as const,
  method: 'tools/call',
  route: 'search',
  status: 200,
  milliseconds: 12.5,
  ids: ['mem_1', 'mem_2'],
  itemCount: 2,
  searchId: null,
  author: null,
};

describe('activity as CSV', () => {
  test('has a line for each request under the names of its fields', () => {
    expect(csvOf([ENTRY]).split('\r\n')).toEqual([
      'at,client,transport,method,route,status,milliseconds,searchId,ids,id,author',
      '2026-11-22T10:00:00.000Z,claude-code 2.1,mcp,tools/call,search,200,12.5,,mem_1 mem_2,req_1,',
      '',
    ]);
  });

  test('quotes what contains commas, quotes or line ends', () => {
    expect(csvOf([{ ...ENTRY, client: 'a,"b"\nc' }])).toContain('"a,""b""\nc"');
  });

  test('gives a spreadsheet no formula to run', () => {
    for (const client of ['=1+1', '+1', '-1', '@SUM(A1)']) {
      expect(csvOf([{ ...ENTRY, client }])).toContain(`,'${client},`);
    }
  });
});
