// Fetched for its CRDs and charts; nothing of it is built.
module karpenter-aws

go 1.26.10

require github.com/aws/karpenter-provider-aws v1.15.1
