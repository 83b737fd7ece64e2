# A memory for a program in Python.
#   pip install ./clients/python
#   python3 python.py 'What does Ada drink?'
import sys

from svc_memory import Client

svc = Client()  # SVC_URL, SVC_API_KEY
svc.memories.create({"content": "Ada prefers oolong tea, never coffee after four", "tags": ["taste"]})
question = " ".join(sys.argv[1:]) or "What does Ada drink?"
print(svc.context({"query": question, "maxTokens": 300})["text"])
